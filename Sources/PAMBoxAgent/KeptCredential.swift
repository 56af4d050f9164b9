import PAMProtocolEmbedded
import CPAM
import PAMLogicEmbedded

/// The credential that was delivered on a PAM handle. While authentication lasts, PAM_AUTHTOK is compared with it: it is
/// another when somebody typed a password after this one was refused. With `keep` it stays until open_session, because
/// libpam has cleared PAM_AUTHTOK by then, and a session hook needs it (docs/decisions/018-sessions.md). It never is a
/// password that somebody typed.
///
/// The record hangs on the handle; the credential itself is in locked memory, which forked children do not have.
struct KeptCredential: ~Copyable {
    private let buffer: LockedBuffer
    private let userBytes: Int
    private let authtokBytes: Int
    private let process: pid_t
    private let isForSession: Bool
    /// The password modules have taken this very credential: seen by the line `verdict`.
    var isVerified = false

    /// Copies the credential. False when there is no locked memory for it.
    // SAFETY: both parts are copied into a buffer that was made for their sum. The record is allocated here and freed
    // in `releaseKeptCredential`, which libpam calls exactly once for it.
    static func attach(
        user: [UInt8], authtok: UnsafeRawBufferPointer, isForSession: Bool, to handle: PAMHandle
    ) -> Bool {
        guard let buffer = LockedBuffer(count: user.count &+ authtok.count) else { return false }
        guard let memory = malloc(MemoryLayout<KeptCredential>.stride) else { return false }
        for (index, byte) in user.enumerated() { buffer.bytes[index] = byte }
        UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[user.count...]).copyMemory(from: authtok)
        let record = memory.bindMemory(to: KeptCredential.self, capacity: 1)
        record.initialize(
            to: KeptCredential(
                buffer: buffer, userBytes: user.count, authtokBytes: authtok.count, isForSession: isForSession))
        guard pam_set_data(handle.pointer, name.cString, memory, releaseKeptCredential) == PAM_SUCCESS else {
            release(memory)
            return false
        }
        return true
    }

    private init(buffer: consuming LockedBuffer, userBytes: Int, authtokBytes: Int, isForSession: Bool) {
        self.buffer = buffer
        self.userBytes = userBytes
        self.authtokBytes = authtokBytes
        self.isForSession = isForSession
        process = getpid()
    }

    /// Runs `body` on what is kept, in the process that keeps it.
    // SAFETY: under this name there is never anything but `attach`'s record, on this handle and of this module. In
    // another process only the record itself is looked at, not the buffer, which is not there.
    static func withKept(_ handle: PAMHandle, _ body: (inout KeptCredential) -> Void) {
        guard let record = handle.data(name)?.assumingMemoryBound(to: KeptCredential.self) else { return }
        if record.pointee.process == getpid() { body(&record.pointee) }
    }

    /// Wipes what is kept, if anything is.
    static func wipe(_ handle: PAMHandle) {
        guard handle.data(name) != nil else { return }
        // libpam calls the cleanup of what it replaces.
        _ = pam_set_data(handle.pointer, name.cString, nil, nil)
    }

    /// Wipes what no session hook may want.
    static func authenticationIsOver(_ handle: PAMHandle) {
        var isNeeded = true
        withKept(handle) { isNeeded = $0.isForSession }
        if !isNeeded { wipe(handle) }
    }

    /// The credential, and whose it is.
    // SAFETY: the buffer lives as long as `self`; nobody keeps the pointer.
    var authtok: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: buffer.bytes[userBytes..<(userBytes &+ authtokBytes)])
    }
    var user: [UInt8] { [UInt8](buffer.bytes.prefix(userBytes)) }

    private static let name: StaticString = "pam_boxagent/kept"

    /// Wipes and frees. A forked child has the record without the buffer: it frees only.
    // SAFETY: `memory` is what `attach` initialised, and nobody uses it again.
    fileprivate static func release(_ memory: UnsafeMutableRawPointer) {
        let record = memory.assumingMemoryBound(to: KeptCredential.self)
        if record.pointee.process == getpid() { record.deinitialize(count: 1) }
        free(memory)
    }
}

/// libpam's cleanup: at pam_end, and when the data is replaced.
// SAFETY: `data` is what `attach` allocated, and libpam never gives it to anybody again.
private func releaseKeptCredential(_: OpaquePointer?, _ data: UnsafeMutableRawPointer?, _: Int32) {
    if let data { KeptCredential.release(data) }
}
