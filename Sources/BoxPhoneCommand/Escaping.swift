extension String {
    /// Text that somebody else chose (labels, user names, what a box says) with everything that could drive a
    /// terminal, or turn the direction of writing, made visible: `\u{1B}`.
    var escaped: String {
        var result = ""
        for scalar in unicodeScalars {
            if scalar.drivesTerminal {
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension Unicode.Scalar {
    /// Control characters (C0, DEL, C1), line and paragraph separators, marks and overrides of direction
    /// (UAX #9), and invisible format characters.
    fileprivate var drivesTerminal: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format, .surrogate: true
        default: false
        }
    }
}
