import PasswordHashing
import Secrets
import VaultPort

/// Runs Argon2id somewhere: a daemon has a worker thread for it, since it takes a quarter of a second.
public protocol PINHasher: Sendable {
    /// Takes the memory for one hash, ahead of spending an attempt; `outOfMemory` when it cannot be had. The default
    /// does so on the caller's thread.
    func reserve(_ cost: PasswordHashCost) async throws(VaultError) -> PasswordHash.Reservation

    /// The 32-byte hash of a PIN, in memory that was reserved before the attempt was spent.
    func hash(_ reservation: PasswordHash.Reservation, pin: HeldSecret, salt: [UInt8]) async throws(VaultError)
        -> HeldSecret
}

extension PINHasher {
    public func reserve(_ cost: PasswordHashCost) async throws(VaultError) -> PasswordHash.Reservation {
        try InlinePINHasher.reserveNow(cost)
    }
}

/// Hashes on the caller's own thread.
public struct InlinePINHasher: PINHasher {
    public init() {}

    public func hash(
        _ reservation: PasswordHash.Reservation, pin: HeldSecret, salt: [UInt8]
    ) async throws(VaultError) -> HeldSecret {
        try Self.hashNow(reservation, pin: pin, salt: salt)
    }

    /// The work itself, for hashers that run it elsewhere.
    public static func hashNow(
        _ reservation: PasswordHash.Reservation, pin: HeldSecret, salt: [UInt8]
    ) throws(VaultError) -> HeldSecret {
        do {
            return HeldSecret(try reservation.hash(pin: pin.bytes, salt: salt))
        } catch {
            throw .outOfMemory
        }
    }

    /// The reservation itself, likewise.
    public static func reserveNow(_ cost: PasswordHashCost) throws(VaultError) -> PasswordHash.Reservation {
        do {
            return try PasswordHash.reserve(cost)
        } catch {
            throw .outOfMemory
        }
    }
}
