/// The box ID: four to six ASCII digits. It is an address, not a secret.
///
/// In a fixed layout, the ID takes six bytes: the digits, then zero bytes. So every ID has one encoding.
enum BoxIDDigits {
    static let counts = 4...6
    static let fieldBytes = 6

    static func isValid(_ bytes: [UInt8]) -> Bool {
        counts.contains(bytes.count) && bytes.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Returns the field of a valid ID.
    static func field(_ boxID: [UInt8]) -> [UInt8] {
        boxID + [UInt8](repeating: 0, count: max(0, fieldBytes - boxID.count))
    }

    /// Returns the ID in a field of six bytes, or nil if the field is not valid.
    static func reading(_ field: ArraySlice<UInt8>) -> [UInt8]? {
        let digits = [UInt8](field.prefix { $0 != 0 })
        guard isValid(digits), field.count == fieldBytes, field.dropFirst(digits.count).allSatisfy({ $0 == 0 }) else {
            return nil
        }
        return digits
    }
}
