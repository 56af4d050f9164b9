/// The user's name in an enrolment code. Not secret.
enum UserName {
    /// 1 to 255 bytes of UTF-8 without control characters and line or paragraph separators.
    static func isValid(_ bytes: [UInt8]) -> Bool {
        guard (1...EnrolmentURI.userBytesLimit).contains(bytes.count),
            let text = String(validating: bytes, as: UTF8.self)
        else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }
}
