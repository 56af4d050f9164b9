/// The groups of a box or of a grant: 1 to 8 numbers from 1 on, ascending, each once.
///
/// A phone may log in at a box if they have a group in common. The site decides the meaning of a number. A phone for
/// every box gets a group that every box is in.
public struct SiteGroups: Sendable, Equatable {
    public static let countLimit = 8
    /// The length of a field with room for all 8 groups, padded with zeros.
    static let fieldBytes = 2 * countLimit

    public let numbers: [UInt16]

    /// Returns nil unless there are 1 to 8 numbers, ascending, each once, and none is 0.
    public init?(_ numbers: [UInt16]) {
        guard (1...Self.countLimit).contains(numbers.count) else { return nil }
        var last: UInt16 = 0
        for number in numbers {
            guard number > last else { return nil }
            last = number
        }
        self.numbers = numbers
    }

    /// Reads 2 bytes for each group.
    package init(parsing bytes: [UInt8]) throws(SiteError) {
        guard bytes.count.isMultiple(of: 2) else { throw .wrongLength }
        var numbers: [UInt16] = []
        for index in stride(from: 0, to: bytes.count, by: 2) {
            numbers.append(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]))
        }
        guard let groups = SiteGroups(numbers) else { throw .invalidField }
        self = groups
    }

    /// Reads a field of 16 bytes, in which zeros follow the last group.
    init(field: [UInt8]) throws(SiteError) {
        var end = field.count
        while end >= 2, field[end - 1] == 0, field[end - 2] == 0 { end -= 2 }
        try self.init(parsing: [UInt8](field.prefix(end)))
    }

    /// Reads consecutive fields of 16 bytes.
    package static func several(fields bytes: [UInt8]) throws(SiteError) -> [SiteGroups] {
        guard bytes.count.isMultiple(of: fieldBytes) else { throw .wrongLength }
        var all: [SiteGroups] = []
        for start in stride(from: 0, to: bytes.count, by: fieldBytes) {
            all.append(try SiteGroups(field: [UInt8](bytes[start..<start + fieldBytes])))
        }
        return all
    }

    /// 2 bytes for each group.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for number in numbers {
            bytes.append(UInt8(truncatingIfNeeded: number >> 8))
            bytes.append(UInt8(truncatingIfNeeded: number))
        }
        return bytes
    }

    /// The field of 16 bytes, in which zeros follow the last group.
    var field: [UInt8] { bytes + [UInt8](repeating: 0, count: Self.fieldBytes - 2 * numbers.count) }

    /// Returns whether both have a group in common.
    public func meet(_ other: SiteGroups) -> Bool {
        for number in numbers where other.numbers.contains(number) { return true }
        return false
    }
}
