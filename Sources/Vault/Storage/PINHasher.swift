import Secrets

/// Runs Argon2id somewhere: a daemon has a worker thread for it, since it takes a quarter of a second.
public protocol PINHasher: Sendable {
    /// The 32-byte hash of a PIN, in memory that was reserved before the attempt was spent.
    func hash(_ reservation: PasswordHash.Reservation, pin: HeldSecret, salt: [UInt8]) async throws(VaultError)
        -> HeldSecret
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
}

/// Tries of a PIN (DESIGN section 7).
public enum PINAttempts {
    /// Wrong tries that destroy the credential.
    public static let limit = 10

    /// The wait after so many wrong tries, in seconds, where `pin.delays` is on.
    static func delay(after wrong: Int) -> Int64 {
        switch wrong {
        case ..<5: 0
        case 5: 60
        case 6: 5 * 60
        case 7, 8: 15 * 60
        default: 60 * 60
        }
    }
}
