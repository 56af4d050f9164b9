extension UserName {
    /// Returns whether `name` is a valid name in UTF-8, without control characters and line or paragraph separators.
    public static func isPrintable(_ name: [UInt8]) -> Bool {
        guard isName(name), let text = String(validating: name, as: UTF8.self) else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            // Category Cc, which is immutable (unicode.org/policies/stability_policy.html), and Zl and Zp with one
            // character each. The web phone's page has no room for a table of categories.
            switch scalar.value {
            case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029: false
            default: true
            }
        }
    }
}
