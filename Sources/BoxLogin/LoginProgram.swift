import CBoxLogin

/// Replaces this process with login(1). Its PAM module takes the tap, so boxlogin never sees a credential.
enum LoginProgram {
    static let path = "/bin/login"

    /// Returns the arguments. `-p` keeps agetty's environment. After `--`, a user name is never an option.
    static func arguments(_ path: String, _ user: LoginUser?) -> [[UInt8]] {
        let head = [Array(path.utf8), Array("-p".utf8)]
        guard let user else { return head }
        return head + [Array("--".utf8), user.name]
    }

    /// Replaces this process. Returns only if the program cannot be started, with the reason.
    static func replaceThisProcess(_ path: String, _ user: LoginUser?) -> String {
        let words = arguments(path, user).map { word in word.map(CChar.init(bitPattern:)) + [0] }
        // SAFETY: the copies by strdup live until the process ends or, if execv fails, until they are freed below. The
        // list ends with a null pointer.
        var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        execv(path, &pointers)
        let reason = cboxlogin_errno()
        for pointer in pointers { free(pointer) }
        // SAFETY: the text belongs to libc and is copied at once.
        return String(cString: strerror(reason))
    }
}
