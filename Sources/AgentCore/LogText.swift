import TextOutput

/// Bytes from outside, made fit for a log or a terminal, cut after `limit` bytes.
package enum LogText {
    package static let limit = 128

    package static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix(limit), as: UTF8.self).escaped + (bytes.count > limit ? "…" : "")
    }
}
