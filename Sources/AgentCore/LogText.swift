import TextOutput

/// Bytes from outside, made fit for a log or a terminal, cut after `limit` bytes.
package enum LogText {
    package static let limit = 128

    package static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix(limit), as: UTF8.self).escaped + (bytes.count > limit ? "…" : "")
    }

    /// Says that a user has another name here than the one that was given; nil if not.
    package static func renaming(_ given: [UInt8], to name: [UInt8]) -> String? {
        name == given ? nil : "\(text(given)) is \(text(name)) on this box"
    }
}
