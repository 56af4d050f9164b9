import Links
import Secrets
import Wire

/// Writes one message for the host. Some messages carry secrets, so the memory is wiped before the next message.
///
/// A message that does not fit is not written at all, and `count` is nil.
struct HostWriter: ~Copyable {
    private var buffer: SecretBytes
    private var writer = CBORWriter()
    private var hasFailed = false

    /// Allocates a buffer of `HostLimits.messageBytes`.
    init() {
        buffer = SecretBytes(count: HostLimits.messageBytes)
    }

    /// The message's bytes, or nil if the message was too long.
    var count: Int? { hasFailed ? nil : writer.offset }

    borrowing func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result {
        let count = hasFailed ? 0 : writer.offset
        return buffer.withBytes { bytes in body(bytes.extracting(0..<count)) }
    }

    /// Wipes the message.
    mutating func clear() {
        buffer = SecretBytes(count: HostLimits.messageBytes)
        writer = CBORWriter()
        hasFailed = false
    }

    private mutating func put(_ write: (inout CBORWriter, inout MutableRawSpan) throws(WireError) -> Void) {
        guard !hasFailed else { return }
        var next = writer
        hasFailed = !buffer.withMutableBytes { bytes in
            do throws(WireError) { try write(&next, &bytes) } catch { return false }
            return true
        }
        writer = next
    }

    /// Begins a message, or a record in one, with `count` items.
    @inline(never)
    mutating func array(_ count: Int) {
        put { writer, bytes throws(WireError) in try writer.writeArrayHeader(count, to: &bytes) }
    }

    /// Begins a message, or a record in one: a word and `items` further items.
    @inline(never)
    mutating func record(_ word: String, items: Int = 0) {
        array(1 + items)
        text(word)
    }

    @inline(never)
    mutating func text(_ text: String) {
        let utf8 = text.bytes
        put { writer, bytes throws(WireError) in try writer.writeText(utf8, to: &bytes) }
    }

    @inline(never)
    mutating func number(_ number: some BinaryInteger) {
        let number = Int64(clamping: number)
        put { writer, bytes throws(WireError) in try writer.writeInteger(number, to: &bytes) }
    }

    @inline(never)
    mutating func optional(_ number: (some BinaryInteger)?) {
        if let number { self.number(number) } else { null() }
    }

    @inline(never)
    mutating func flag(_ flag: Bool) {
        put { writer, bytes throws(WireError) in try writer.writeBool(flag, to: &bytes) }
    }

    @inline(never)
    mutating func null() {
        put { writer, bytes throws(WireError) in try writer.writeNull(to: &bytes) }
    }

    @inline(never)
    mutating func bytes(_ value: [UInt8]) {
        put { writer, bytes throws(WireError) in try writer.writeBytes(value, to: &bytes) }
    }

    @inline(never)
    mutating func optional(_ value: [UInt8]?) {
        if let value { bytes(value) } else { null() }
    }

    @inline(never)
    mutating func secret(_ secret: HeldSecret) {
        put { writer, output throws(WireError) in
            try secret.bytes.withBytes { bytes throws(WireError) in try writer.writeBytes(bytes, to: &output) }
        }
    }
}
