import NamesEmbedded
import PAMProtocolEmbedded
import CPAM
import PAMLogicEmbedded

/// Sets a received credential on the PAM handle.
struct Delivery {
    let handle: PAMHandle
    /// PAM_USER from the program. Nil if the program named no user.
    let givenUser: [UInt8]?
    /// True if a session hook may need the credential after authentication.
    let keep: Bool

    /// Returns true if PAM_AUTHTOK and PAM_USER are set and the agent will learn the verdict. On false, nothing is set.
    func take(
        user: [UInt8], authtok: Range<Int>, from buffer: borrowing LockedBuffer,
        over connection: consuming AgentConnection
    ) -> Bool {
        guard UserName.isAllowed(user) else {
            return refuse("refused a credential: the user name is not valid")
        }
        if let givenUser, givenUser != user {
            return refuse("refused a credential: it is not for the requested user")
        }
        // SAFETY: the range was checked against the buffer, which has room for a NUL after the longest message. The
        // credential is the message's last item. libpam copies the credential during the call.
        guard authtok.lowerBound > 0, authtok.upperBound < buffer.bytes.count, !authtok.isEmpty,
            authtok.count <= PAMLimits.credentialBytes, let start = buffer.bytes.baseAddress
        else { return refuse("refused a credential: its length is not valid") }
        let token = start + authtok.lowerBound
        guard memchr(token, 0, authtok.count) == nil else {
            return refuse("refused a credential with a NUL byte: PAM would cut it off")
        }
        (start + authtok.upperBound).storeBytes(of: 0, as: UInt8.self)
        // SAFETY: the bytes lie in the buffer, and are copied during the call.
        let delivered = UnsafeRawBufferPointer(start: token, count: authtok.count)
        guard KeptCredential.attach(user: user, authtok: delivered, isForSession: keep, to: handle) else {
            return refuse("this program cannot lock memory; raise its limit, ulimit -l")
        }
        guard DeliveryRecord.attach(connection, to: handle) else {
            KeptCredential.wipe(handle)
            return refuse("no memory to keep the connection to boxagentd")
        }
        guard handle.set(PAM_AUTHTOK, token), setUser(user) else {
            _ = handle.set(PAM_AUTHTOK, nil)
            KeptCredential.wipe(handle)
            DeliveryRecord.withLive(handle) { $0.concludeUndelivered() }
            return refuse("libpam refused the credential")
        }
        return true
    }

    private func setUser(_ user: [UInt8]) -> Bool {
        guard givenUser == nil else { return true }
        var isSet = false
        user.withCString { isSet = handle.set(PAM_USER, $0) }
        return isSet
    }

    private func refuse(_ reason: StaticString) -> Bool {
        handle.log(LOG_ERR, TextLine(reason))
        return false
    }
}
