import PhoneMessages
import Secrets

/// Reads passwords as bytes, and refuses those that PAM cannot take unchanged.
extension Program {
    /// Reads a password from `descriptor` or the terminal.
    func password(_ descriptor: Int32?, question: String) async throws(Complaint) -> HeldSecret {
        if let descriptor {
            let password = try SecretDescriptor.read(descriptor, option: "--password-fd")
            try Self.check(password)
            return HeldSecret(password)
        }
        await progress.end()
        while true {
            let typed = try await terminal.askSecret(question, otherwise: "give the password with --password-fd N")
            do throws(Complaint) {
                try Self.check(typed.bytes)
                return typed
            } catch {
                console.note(error.sentence, .yellow)
            }
        }
    }

    private static func check(_ password: borrowing SecretBytes) throws(Complaint) {
        do throws(CredentialRuleViolation) {
            try password.withBytes { (bytes) throws(CredentialRuleViolation) in try CredentialRules.check(bytes) }
        } catch {
            switch error {
            case .empty: throw Complaint(.badInput, "the password is empty; enter the password of your account")
            case .tooLong:
                throw Complaint(
                    .badInput, "the password is longer than 511 bytes, and no login program accepts it; enter it again")
            case .containsNUL:
                throw Complaint(
                    .badInput, "the password contains a NUL byte, and no login program accepts it; enter it again")
            }
        }
    }
}
