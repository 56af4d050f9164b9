import CBoxLogin

/// login(1), in our place. It asks PAM, whose module takes the tap; this program never sees a credential.
enum LoginProgram {
    static let path = "/bin/login"

    /// The arguments: the environment is kept, as agetty has set it up, and nothing behind `--` is an option.
    static func arguments(_ path: String, _ user: LoginUser?) -> [[UInt8]] {
        let head = [Array(path.utf8), Array("-p".utf8)]
        guard let user else { return head }
        return head + [Array("--".utf8), user.name]
    }

    /// Returns only when the program cannot be started: why.
    static func replaceThisProcess(_ path: String, _ user: LoginUser?) -> String {
        let words = arguments(path, user).map { word in word.map(CChar.init(bitPattern:)) + [0] }
        // SAFETY: the copies of strdup live until the process ends or, when execv fails, until they are freed below;
        // the list ends with a null pointer.
        var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        execv(path, &pointers)
        let reason = cboxlogin_errno()
        for pointer in pointers { free(pointer) }
        // SAFETY: the text is libc's and is copied at once.
        return String(cString: strerror(reason))
    }
}
