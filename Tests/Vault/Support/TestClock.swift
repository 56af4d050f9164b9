@testable import Vault

/// A clock that moves, and a machine that boots, only on demand.
final class TestClock: VaultClock {
    private struct Times {
        var unixSeconds: Int64 = 1_790_000_000
        var sinceBoot: Duration = .seconds(1_000)
        var boot: UInt8 = 1
    }

    private let times = Guarded(Times())

    var unixSeconds: Int64 { times { $0.unixSeconds } }
    var sinceBoot: Duration { times { $0.sinceBoot } }
    var bootID: [UInt8] { times { [UInt8](repeating: $0.boot, count: 36) } }

    func advance(seconds: Int64) {
        times {
            $0.unixSeconds += seconds
            $0.sinceBoot += .seconds(seconds)
        }
    }

    func reboot() {
        times {
            $0.sinceBoot = .seconds(5)
            $0.boot += 1
        }
    }
}
