import PAMProtocolEmbedded
import CPAM
import PAMLogicEmbedded

/// The credential that was delivered on a PAM handle. During authentication it is compared with PAM_AUTHTOK, which
/// differs if a user typed a password after this credential was refused. With `keep`, the credential stays until
/// open_session for a session hook, because libpam has cleared PAM_AUTHTOK by then (docs/decisions/018-sessions.md). It
/// is never a typed password.
///
/// The record is on the handle. The credential itself is in locked memory, which forked children do not have.
struct KeptCredential: ~Copyable {
    private let buffer: LockedBuffer
    private let userBytes: Int
    private let authtokBytes: Int
    private let process: pid_t
    private let isForSession: Bool
    /// True if the password modules accepted this credential, as seen by the line `verdict`.
    var isVerified = false

    /// Attaches a copy of the credential to the handle. Returns false if there is not enough (locked) memory.
    // SAFETY: both parts are copied into a buffer of their total size. The record is allocated here and freed in
    // `releaseKeptCredential`, which libpam calls exactly once for it.
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

    /// Runs `body` on the kept credential, but only in the process that stored it.
    // SAFETY: only `attach` of this module stores data under this name. In another process only the record is read, not
    // the buffer, which does not exist there.
    static func withKept(_ handle: PAMHandle, _ body: (inout KeptCredential) -> Void) {
        guard let record = handle.data(name)?.assumingMemoryBound(to: KeptCredential.self) else { return }
        if record.pointee.process == getpid() { body(&record.pointee) }
    }

    /// Wipes the kept credential, if there is one.
    static func wipe(_ handle: PAMHandle) {
        guard handle.data(name) != nil else { return }
        // libpam calls the cleanup of the replaced data.
        _ = pam_set_data(handle.pointer, name.cString, nil, nil)
    }

    /// Wipes the credential unless a session hook may need it.
    static func authenticationIsOver(_ handle: PAMHandle) {
        var isNeeded = true
        withKept(handle) { isNeeded = $0.isForSession }
        if !isNeeded { wipe(handle) }
    }

    /// The credential, which is for `user`.
    // SAFETY: the buffer lives as long as `self`, and the pointer is not kept.
    var authtok: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: buffer.bytes[userBytes..<(userBytes &+ authtokBytes)])
    }
    var user: [UInt8] { [UInt8](buffer.bytes.prefix(userBytes)) }

    private static let name: StaticString = "pam_boxagent/kept"

    /// Wipes and frees the record. In a forked child, which lacks the buffer, only frees it.
    // SAFETY: `memory` was initialised by `attach`, and is not used again.
    fileprivate static func release(_ memory: UnsafeMutableRawPointer) {
        let record = memory.assumingMemoryBound(to: KeptCredential.self)
        if record.pointee.process == getpid() { record.deinitialize(count: 1) }
        free(memory)
    }
}

/// libpam's cleanup. Runs at pam_end, and when the data is replaced.
// SAFETY: `data` is what `attach` allocated, and libpam never passes it on again.
private func releaseKeptCredential(_: OpaquePointer?, _ data: UnsafeMutableRawPointer?, _: Int32) {
    if let data { KeptCredential.release(data) }
}
