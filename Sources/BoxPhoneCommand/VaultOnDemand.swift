import EventLoop
import Glibc
import PhoneCore
import PhoneKit
import Vault
import VaultPort

/// Opens the vault for each use and lets go of it: `boxphone watch` in one window must not keep `boxphone lock` in
/// another from reading its key. A vault in use by another boxphone is waited for, for a short time.
struct VaultOnDemand: VaultSource {
    private static let waitLimit = Duration.seconds(3)
    private static let betweenTries = Duration.milliseconds(20)

    let directory: String
    let loop: EpollLoop

    func vault() async throws(VaultError) -> PhoneVault {
        try Self.makeParents(of: directory)
        let deadline = loop.now() + Self.waitLimit
        while true {
            do throws(VaultError) {
                return try PhoneVault(directory: directory, executor: loop)
            } catch {
                guard case .locked = error, loop.now() < deadline else { throw error }
            }
            do {
                try await loop.sleep(until: loop.now() + Self.betweenTries)
            } catch {
                throw .locked(path: directory)
            }
        }
    }

    /// `~/.local/share` need not be there yet. The vault makes the last directory itself, and checks it.
    private static func makeParents(of path: String) throws(VaultError) {
        var position = path.startIndex
        while let slash = path[position...].dropFirst().firstIndex(of: "/") {
            let parent = String(path[..<slash])
            position = slash
            guard !parent.isEmpty, mkdir(parent, 0o700) != 0, errno != EEXIST else { continue }
            throw .unusable(path: parent, reason: String(cString: strerror(errno)))
        }
    }
}
