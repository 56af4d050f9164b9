import EventLoop
import Glibc
import PhoneCore
import PhoneKit
import Vault
import VaultPort

/// Opens the vault for each use and closes it. So `boxphone watch` in one window does not keep `boxphone lock` in
/// another window from reading a key. While another boxphone has the vault open, `vault` waits for a short time.
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

    /// Creates the parents, because `~/.local/share` may not exist. The vault creates and checks the last directory.
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
