import PAMProtocolEmbedded
import CPAM
import WireEmbedded

/// Sends messages that contain no secret.
enum AgentMessage {
    private static let limitBytes = 1_024

    /// Sends without blocking, so that a dead agent cannot delay a login. Returns false if the message was not sent.
    static func send(_ request: PAMRequest, on descriptor: Int32) -> Bool {
        guard let message = encoded(request) else { return false }
        let flags = Int32(truncatingIfNeeded: MSG_DONTWAIT | MSG_NOSIGNAL)
        // SAFETY: the array lives as long as the call.
        return message.withUnsafeBytes { bytes in
            while true {
                let sent = CPAM.send(descriptor, bytes.baseAddress, bytes.count, flags)
                if sent >= 0 { return sent == bytes.count }
                guard cpam_errno() == EINTR else { return false }
            }
        }
    }

    private static func encoded(_ request: PAMRequest) -> [UInt8]? {
        do throws(WireError) {
            return try [UInt8].encoding(limit: limitBytes) { output throws(WireError) in
                try request.encode(into: &output)
            }
        } catch {
            return nil
        }
    }
}
