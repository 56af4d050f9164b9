import TextOutput

/// Bytes from outside, made safe for a log or a terminal and cut after `limit` bytes.
package enum LogText {
    package static let limit = 128

    package static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix(limit), as: UTF8.self).escaped + (bytes.count > limit ? "…" : "")
    }

    /// Returns a text which says that the user has another name here, or nil if the names are equal.
    package static func renaming(_ given: [UInt8], to name: [UInt8]) -> String? {
        name == given ? nil : "\(text(given)) is \(text(name)) on this box"
    }
}
