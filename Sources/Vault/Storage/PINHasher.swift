import PasswordHashing
import Secrets
import VaultPort

/// Runs Argon2id. It takes a quarter of a second, so a daemon uses a worker thread.
public protocol PINHasher: Sendable {
    /// Reserves the memory for one hash before a try is spent, or throws `outOfMemory`. The default uses the caller's
    /// thread.
    func reserve(_ cost: PasswordHashCost) async throws(VaultError) -> PasswordHash.Reservation

    /// Returns the 32-byte hash of a PIN, computed in memory that was reserved before the attempt was spent.
    func hash(_ reservation: PasswordHash.Reservation, pin: HeldSecret, salt: [UInt8]) async throws(VaultError)
        -> HeldSecret
}

extension PINHasher {
    public func reserve(_ cost: PasswordHashCost) async throws(VaultError) -> PasswordHash.Reservation {
        try InlinePINHasher.reserveNow(cost)
    }
}

/// Hashes on the caller's thread.
public struct InlinePINHasher: PINHasher {
    public init() {}

    public func hash(
        _ reservation: PasswordHash.Reservation, pin: HeldSecret, salt: [UInt8]
    ) async throws(VaultError) -> HeldSecret {
        try Self.hashNow(reservation, pin: pin, salt: salt)
    }

    /// Computes the hash, for hashers that run this function on another thread.
    public static func hashNow(
        _ reservation: PasswordHash.Reservation, pin: HeldSecret, salt: [UInt8]
    ) throws(VaultError) -> HeldSecret {
        do {
            return HeldSecret(try reservation.hash(pin: pin.bytes, salt: salt))
        } catch {
            throw .outOfMemory
        }
    }

    /// Reserves the memory, for hashers that run this function on another thread.
    public static func reserveNow(_ cost: PasswordHashCost) throws(VaultError) -> PasswordHash.Reservation {
        do {
            return try PasswordHash.reserve(cost)
        } catch {
            throw .outOfMemory
        }
    }
}
