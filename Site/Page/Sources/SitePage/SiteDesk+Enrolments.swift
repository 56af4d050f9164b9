import PageCore
import SiteControl

extension SiteDesk {
    /// How many minutes a code is valid.
    static let enrolmentMinutes: UInt64 = 10

    /// Makes a code for a phone of that user. Returns its id and its text, which carries a secret.
    func beginEnrolment(
        of user: String, label: String?, groups: [UInt16], as administrator: String
    ) async throws(DeskFailure) -> (id: [UInt8], code: String) {
        let wish = SiteRequest.enrolPhone(user: user, label: label, groups: groups, minutes: Self.enrolmentMinutes)
        let answer = try await ask(wish, as: administrator)
        guard case .enrolmentCode(let id, _)? = answer.replies.first else { throw Self.unexpected }
        return (id, answer.code)
    }

    /// Returns the state of an enrolment, without waiting for a change.
    func enrolment(_ id: [UInt8], as administrator: String) async throws(DeskFailure) -> EnrolmentListing {
        let answer = try await ask(.enrolment(code: id, after: ""), as: administrator)
        guard case .enrolment(let listing)? = answer.replies.first else { throw Self.unexpected }
        return listing
    }

    /// Sends a person's answer after comparing the digits.
    func confirmEnrolment(
        _ id: [UInt8], digits: String, accept: Bool, as administrator: String
    ) async throws(DeskFailure) {
        _ = try await ask(.confirmEnrolment(code: id, digits: digits, accept: accept), as: administrator)
    }

    func cancelEnrolment(_ id: [UInt8], as administrator: String) async throws(DeskFailure) {
        _ = try await ask(.cancelEnrolment(code: id), as: administrator)
    }
}
