extension UserName {
    /// Whether `name` is a name in UTF-8 without control characters and line or paragraph separators.
    public static func isPrintable(_ name: [UInt8]) -> Bool {
        guard isName(name), let text = String(validating: name, as: UTF8.self) else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }
}
