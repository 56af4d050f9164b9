import PAMProtocolEmbedded
import CPAM
import PAMLogicEmbedded

// This module exports only the six functions that libpam calls. None of them returns PAM_SUCCESS.

/// The `argv` of libpam: `argc` C strings, valid during the call.
// SAFETY: read in `begin` only.
public typealias ArgumentPointers = UnsafeMutablePointer<UnsafePointer<CChar>?>

@c @implementation
public func pam_sm_authenticate(
    _ pointer: OpaquePointer?, _ flags: Int32, _ count: Int32, _ values: ArgumentPointers?
) -> Int32 {
    guard let (handle, arguments) = begin(pointer, count, values) else { return PAM_AUTHINFO_UNAVAIL }
    return Authentication(handle: handle, arguments: arguments, isSilent: has(flags, PAM_SILENT)).run()
}

@c @implementation
public func pam_sm_setcred(
    _ pointer: OpaquePointer?, _ flags: Int32, _ count: Int32, _ values: ArgumentPointers?
) -> Int32 {
    guard let pointer else { return PAM_IGNORE }
    let handle = PAMHandle(pointer: pointer)
    KeptCredential.authenticationIsOver(handle)
    // PAM_DELETE_CRED is not reported, because a program may delete credentials after a failure too.
    if !has(flags, PAM_DELETE_CRED) {
        let isRefresh = has(flags, PAM_REINITIALIZE_CRED) || has(flags, PAM_REFRESH_CRED)
        DeliveryRecord.withLive(handle) {
            $0.send(isRefresh ? .credentialsRefreshed : .credentialsEntered)
        }
    }
    return PAM_IGNORE
}

@c @implementation
public func pam_sm_acct_mgmt(
    _ pointer: OpaquePointer?, _ flags: Int32, _ count: Int32, _ values: ArgumentPointers?
) -> Int32 {
    if let (handle, _) = begin(pointer, count, values) {
        KeptCredential.authenticationIsOver(handle)
        DeliveryRecord.withLive(handle) { $0.send(.accountEntered) }
    }
    return PAM_IGNORE
}

@c @implementation
public func pam_sm_open_session(
    _ pointer: OpaquePointer?, _ flags: Int32, _ count: Int32, _ values: ArgumentPointers?
) -> Int32 {
    if let (handle, arguments) = begin(pointer, count, values) {
        // A line with `console` only starts the console's helper. The agent learns of the session from another line.
        guard arguments.consolePath == nil else {
            ConsoleStart(handle: handle, arguments: arguments).run()
            return PAM_IGNORE
        }
        KeptCredential.authenticationIsOver(handle)
        let session = text(handle.variable("XDG_SESSION_ID", limit: PAMLimits.sessionBytes))
        let terminal = text(handle.item(PAM_TTY, limit: PAMLimits.terminalBytes))
        DeliveryRecord.withLive(handle) {
            $0.send(.sessionOpened(logindSession: session, terminal: terminal))
        }
        TypedPassword.tell(handle, session: session, socketPath: arguments.socketPath)
        HookStart(handle: handle, arguments: arguments).run()
    }
    return PAM_IGNORE
}

@c @implementation
public func pam_sm_close_session(
    _ pointer: OpaquePointer?, _ flags: Int32, _ count: Int32, _ values: ArgumentPointers?
) -> Int32 {
    // A line with `console` does nothing here: the console's helper notices the end of its session itself.
    if let (handle, arguments) = begin(pointer, count, values), arguments.consolePath == nil {
        DeliveryRecord.withLive(handle) { $0.send(.sessionClosed) }
        KeptCredential.wipe(handle)
    }
    return PAM_IGNORE
}

@c @implementation
public func pam_sm_chauthtok(
    _ pointer: OpaquePointer?, _ flags: Int32, _ count: Int32, _ values: ArgumentPointers?
) -> Int32 {
    guard let (handle, arguments) = begin(pointer, count, values) else { return PAM_IGNORE }
    if has(flags, PAM_CHANGE_EXPIRED_AUTHTOK) {
        DeliveryRecord.withLive(handle) { $0.tellExpired() }
    }
    if has(flags, PAM_UPDATE_AUTHTOK) {
        // Wipe the kept credential, which will soon be the old password.
        KeptCredential.wipe(handle)
        PasswordChange(handle: handle, arguments: arguments).tell()
    }
    return PAM_IGNORE
}

// SAFETY: reads `count` C strings of libpam, each only during the call.
private func begin(
    _ pointer: OpaquePointer?, _ count: Int32, _ values: ArgumentPointers?
) -> (PAMHandle, ModuleArguments)? {
    guard let pointer else { return nil }
    let handle = PAMHandle(pointer: pointer)
    var arguments = ModuleArguments()
    if let values, count > 0 {
        for value in UnsafeBufferPointer(start: values, count: Int(count)) {
            guard let value else { break }
            let bytes = UnsafeRawBufferPointer(start: value, count: strlen(value))
            if let problem = arguments.read([UInt8](bytes)) { handle.log(LOG_WARNING, problem) }
        }
    }
    return (handle, arguments)
}

private func text(_ item: PAMHandle.Item) -> [UInt8]? {
    if case .text(let bytes) = item, !bytes.isEmpty { bytes } else { nil }
}

/// Tests a flag of libpam. The flags are macros of different integer types.
private func has(_ flags: Int32, _ flag: some BinaryInteger) -> Bool {
    flags & Int32(truncatingIfNeeded: flag) != 0
}
