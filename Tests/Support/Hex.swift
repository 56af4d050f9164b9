/// Returns the bytes of a hexadecimal text, in which spaces are ignored. Any other character makes the result empty.
public func bytes(_ hex: String) -> [UInt8] {
    var result: [UInt8] = []
    var high: UInt8?
    for character in hex where character != " " {
        guard let digit = character.hexDigitValue else { return [] }
        if let known = high {
            result.append(known << 4 | UInt8(digit))
            high = nil
        } else {
            high = UInt8(digit)
        }
    }
    return result
}
