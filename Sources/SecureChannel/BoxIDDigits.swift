/// The box ID in messages: four ASCII digits. An address, never a secret.
enum BoxIDDigits {
    static let count = 4

    static func isValid(_ bytes: [UInt8]) -> Bool {
        bytes.count == count && bytes.allSatisfy { (0x30...0x39).contains($0) }
    }
}
