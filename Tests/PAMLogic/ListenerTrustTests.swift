import PAMLogic
import PAMProtocol
import Testing

@Suite("Whose socket is believed to be the agent's")
struct ListenerTrustTests {
    private typealias Directory = ListenerTrust.Directory

    private func directory(_ owner: UInt32, writable: Bool = false, link: Bool = false) -> Directory {
        Directory(owner: owner, isDirectory: !link, othersMayWrite: writable)
    }

    @Test("Root, the program's own user and the directory's owner are believed, nobody else")
    func believed() {
        #expect(ListenerTrust.believes(peer: 0, own: 1_000, directoryOwner: nil))
        #expect(ListenerTrust.believes(peer: 1_000, own: 1_000, directoryOwner: nil))
        #expect(ListenerTrust.believes(peer: 990, own: 0, directoryOwner: 990))
        #expect(!ListenerTrust.believes(peer: 990, own: 0, directoryOwner: nil))
        #expect(!ListenerTrust.believes(peer: 1_000, own: 0, directoryOwner: 990))
    }

    @Test("The user without a number is never believed, not even by itself", arguments: [65_534, UInt32.max])
    func overflow(user: UInt32) {
        #expect(!ListenerTrust.believes(peer: user, own: user, directoryOwner: user))
    }

    @Test("Root hands a directory on only where root alone could have made it")
    func delegate() {
        let root = directory(0)
        #expect(ListenerTrust.delegate([root, root, directory(990)]) == 990)
        #expect(ListenerTrust.delegate([root, root, root]) == 0)
        #expect(ListenerTrust.delegate([]) == nil)
        #expect(ListenerTrust.delegate([root, directory(0, writable: true), directory(990)]) == nil)
        #expect(ListenerTrust.delegate([root, directory(1_000), directory(990)]) == nil)
        #expect(ListenerTrust.delegate([root, directory(0, link: true), directory(990)]) == nil)
        #expect(ListenerTrust.delegate([root, root, directory(990, writable: true)]) == nil)
        #expect(ListenerTrust.delegate([root, root, directory(990, link: true)]) == nil)
    }

    @Test("Every directory above the socket is looked at, the socket itself is not")
    func directories() {
        func names(_ path: String) -> [String] {
            PathSteps.directories(of: [UInt8](path.utf8)).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(names("/run/boxagent/pam.sock") == ["/", "/run", "/run/boxagent"])
        #expect(names("/pam.sock") == ["/"])
        #expect(names("/a//b/s") == ["/", "/a", "/a/", "/a//b"])
    }
}
