import PAMProtocolEmbedded
import CPAM

/// What the agent's sign says, read without waiting for anybody.
enum TapSignFile {
    static func saysNone(besides socketPath: [UInt8]) -> Bool {
        guard let path = TapSign.path(besides: socketPath) else { return false }
        var first: Int32 = -1
        path.withCString { first = cpam_first_byte($0) }
        return first == Int32(TapSign.none)
    }
}
