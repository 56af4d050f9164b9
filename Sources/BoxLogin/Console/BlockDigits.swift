/// Digits of 5 by 7 dots. With two columns for each dot, they can be read across a room.
enum BlockDigits {
    static let rows = 7
    static let columns = 5
    /// The number of empty dots between two digits.
    static let gap = 2

    /// Returns the dots of one row of a text, from the left. A character that is not a digit becomes a dash.
    static func row(_ row: Int, of text: [UInt8]) -> [Bool] {
        var dots: [Bool] = []
        for (index, character) in text.enumerated() {
            if index > 0 { dots += [Bool](repeating: false, count: gap) }
            let bits = shape(of: character)[row]
            for column in 0..<columns {
                dots.append(bits & (1 << (columns - 1 - column)) != 0)
            }
        }
        return dots
    }

    /// Returns the width in dots of a text with this number of characters.
    static func width(of characters: Int) -> Int {
        characters == 0 ? 0 : characters * (columns + gap) - gap
    }

    private static func shape(of character: UInt8) -> [UInt8] {
        let zero = UInt8(ascii: "0")
        guard character >= zero, character < zero + 10 else { return dash }
        return digits[Int(character - zero)]
    }

    private static let dash: [UInt8] = [0, 0, 0, 0b01110, 0, 0, 0]
    private static let digits: [[UInt8]] = [
        [0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110],
        [0b00100, 0b01100, 0b10100, 0b00100, 0b00100, 0b00100, 0b11111],
        [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
        [0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110],
        [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
        [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
        [0b01110, 0b10000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
        [0b11111, 0b00001, 0b00010, 0b00100, 0b00100, 0b01000, 0b01000],
        [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
        [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00001, 0b01110],
    ]
}
