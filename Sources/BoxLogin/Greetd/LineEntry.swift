import AgentClient
import Wire

/// A line that a user types, byte by byte, in memory that is wiped. The caller updates the screen.
struct LineEntry: ~Copyable {
    /// The limit of a PAM response: 511 bytes (PAM_MAX_RESP_SIZE).
    static let limitBytes = 511

    enum Step: Equatable, Sendable {
        /// The line got one more byte.
        case added(UInt8)
        /// The line lost this number of columns.
        case removed(columns: Int)
        case ignored
        case done
        case cancelled
    }

    private var bytes = WipedBuffer(count: limitBytes)
    private(set) var count = 0

    mutating func handle(_ byte: UInt8) -> Step {
        switch byte {
        case 0x0A, 0x0D: return .done
        // Ctrl-C, Ctrl-D and Escape.
        case 0x03, 0x04, 0x1B: return .cancelled
        case 0x08, 0x7F: return .removed(columns: removeCharacter())
        // Ctrl-U and Ctrl-W both clear the line.
        case 0x15, 0x17:
            var columns = 0
            while count > 0 { columns += removeCharacter() }
            return .removed(columns: columns)
        case 0..<0x20: return .ignored
        default:
            guard count < Self.limitBytes else { return .ignored }
            let position = count
            bytes.withMutableBytes { $0.storeBytes(of: byte, toByteOffset: position, as: UInt8.self) }
            count += 1
            return .added(byte)
        }
    }

    borrowing func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result {
        bytes.withBytes(first: count, body)
    }

    /// Removes the last character, of one byte or more. Returns the number of columns it had.
    private mutating func removeCharacter() -> Int {
        guard count > 0 else { return 0 }
        var isContinuation = true
        while isContinuation, count > 0 {
            let position = count - 1
            isContinuation = bytes.withBytes(first: count) { $0.byte(at: position) & 0xC0 == 0x80 }
            bytes.withMutableBytes { $0.storeBytes(of: 0, toByteOffset: position, as: UInt8.self) }
            count -= 1
        }
        return 1
    }
}
