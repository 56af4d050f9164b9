/// What becomes of the logind session that a program names as its own.
package enum SessionClaim: Sendable {
    case confirmed(LogindSession)
    /// Why it is not believed, as the rest of a sentence.
    case refused(String)
    /// Logind cannot be asked now.
    case unknown
    /// The program names none.
    case none

    /// The name comes from the PAM environment, which users write into (pam_env(8)): a session counts when logind says that it
    /// is the user's whose credential was delivered, and that the program opened it or is in it.
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
