/// Validates UTF-8 (RFC 3629 section 4) without String, because an Embedded module must stay small and never trap.
public enum UTF8Validation {
    public static func isValid(_ input: RawSpan, in range: Range<Int>) -> Bool {
        guard range.lowerBound >= 0, range.upperBound <= input.byteCount else { return false }
        var at = range.lowerBound
        while at < range.upperBound {
            let lead = input.byte(at: at)
            guard let form = Form(lead: lead) else { return false }
            guard form.continuations < range.upperBound - at else { return false }
            var index = 1
            while index <= form.continuations {
                let byte = input.byte(at: at + index)
                let low: UInt8 = index == 1 ? form.firstLow : 0x80
                let high: UInt8 = index == 1 ? form.firstHigh : 0xBF
                guard byte >= low, byte <= high else { return false }
                index += 1
            }
            at += 1 + form.continuations
        }
        return true
    }

    /// The number of bytes after a lead byte, and the bounds of the first of them. The bounds exclude overlong forms,
    /// surrogates and scalars over U+10FFFF.
    private struct Form {
        let continuations: Int
        let firstLow: UInt8
        let firstHigh: UInt8

        init?(lead: UInt8) {
            var low: UInt8 = 0x80
            var high: UInt8 = 0xBF
            switch lead {
            case 0x00...0x7F: continuations = 0
            case 0xC2...0xDF: continuations = 1
            case 0xE0...0xEF:
                continuations = 2
                if lead == 0xE0 { low = 0xA0 }
                if lead == 0xED { high = 0x9F }
            case 0xF0...0xF4:
                continuations = 3
                if lead == 0xF0 { low = 0x90 }
                if lead == 0xF4 { high = 0x8F }
            default: return nil
            }
            firstLow = low
            firstHigh = high
        }
    }
}
