/// The decision about the logind session that a program names as its own.
package enum SessionClaim: Sendable {
    case confirmed(LogindSession)
    /// The reason why the claim is refused, as the end of a sentence.
    case refused(String)
    /// logind cannot be asked now.
    case unknown
    /// The program names no session.
    case none

    /// Checks the claim. The name comes from the PAM environment, which users can write (pam_env(8)). A session counts
    /// only if logind says that it belongs to the credential's user, and that the program opened it or is in it.
    package init(
        _ session: LogindSession?, ofUser user: [UInt8], number: UInt32?, process: Int32?, processSession: String?
    ) {
        guard let session else {
            self = .refused("logind does not know it")
            return
        }
        guard Array(session.user.utf8) == user || number == session.userID else {
            self = .refused("logind says that it belongs to another user")
            return
        }
        guard let process, process == session.leader || processSession == session.id else {
            self = .refused("logind says that the program did not open it")
            return
        }
        self = .confirmed(session)
    }
}
