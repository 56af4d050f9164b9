/// Why a text is no enrolment code. `description` is for people: what is wrong, and what to do.
public enum EnrolmentURIError: Error, Equatable, Sendable, CustomStringConvertible {
    /// It does not start with `boxlink:`.
    case notABoxlinkURI
    /// `boxlink:`, but of another version.
    case unknownVersion
    /// Longer than any enrolment code.
    case tooLong
    /// A character that no code has, or a piece is missing or too much.
    case damaged
    /// The user name is empty, over 255 bytes, no UTF-8, or has control characters.
    case invalidUser
    /// A field that has another length than the format gives it, or a box ID that is not four to six digits.
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
