import PasswordHashing
import EventLoop
import Secrets
import Sessions
import Transport
import Vault
import VaultPort

/// The loop's clock for links.
struct LoopClock: LinkClock {
    let loop: EpollLoop

    init(_ loop: EpollLoop) {
        self.loop = loop
    }

    func now() -> Duration { loop.now() }

    func sleep(until deadline: Duration) async throws(CancellationError) {
        try await loop.sleep(until: deadline)
    }
}

/// Runs Argon2id, which takes about a quarter of a second, on the worker thread. The loop serves others meanwhile.
struct WorkerPINHasher: PINHasher {
    let loop: EpollLoop

    func hash(
        _ reservation: PasswordHash.Reservation, pin: HeldSecret, salt: [UInt8]
    ) async throws(VaultError) -> HeldSecret {
        let result: Result<HeldSecret, VaultError>
        do {
            result = try await loop.offload {
                do throws(VaultError) {
                    return .success(try InlinePINHasher.hashNow(reservation, pin: pin, salt: salt))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw .outOfMemory
        }
        return try result.get()
    }
}
