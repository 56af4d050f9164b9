/// The reasons why a text is not an enrolment code. `description` tells people the problem and its cure.
public enum EnrolmentURIError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text does not start with `boxlink:`.
    case notABoxlinkURI
    /// The text starts with `boxlink:`, but has another version.
    case unknownVersion
    /// The text is longer than any enrolment code.
    case tooLong
    /// A character is not valid, or characters are missing or surplus.
    case damaged
    /// The user name is empty, over 255 bytes, not UTF-8, or has control characters.
    case invalidUser
    /// A field's length is not valid, or the box ID is not four to six digits.
    case invalidField

    public var description: String {
        switch self {
        case .notABoxlinkURI:
            "this is not an enrolment code: it must start with \"boxlink:\"; "
                + "copy the whole line that `boxagent enrol` prints"
        case .unknownVersion:
            "this enrolment code has a version that this program does not support; update the program"
        case .tooLong:
            "this is too long for an enrolment code; copy only the line that starts with \"boxlink:\""
        case .damaged:
            "this enrolment code is incomplete or has a wrong character; copy the whole line again"
        case .invalidUser:
            "the user name in this enrolment code is not valid; make a new code with `boxagent enrol`"
        case .invalidField:
            "a part of this enrolment code is not valid; make a new code with `boxagent enrol`"
        }
    }

    init(_ failure: CodeText.Failure) {
        switch failure {
        case .otherScheme: self = .notABoxlinkURI
        case .unknownVersion: self = .unknownVersion
        case .tooLong: self = .tooLong
        case .damaged: self = .damaged
        }
    }
}
