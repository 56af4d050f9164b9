import Glibc
import PAMProtocol

/// Finds why a PAM service's session hook cannot run (session-hook(8)). Logins work without the hook, which hides the
/// fault.
enum SessionHookCheck {
    /// Returns nil if the service has no hook. `lines` are the service's lines in words, with included files in place.
    static func problems(in lines: [[Substring]], program look: (String) -> ProgramTrust.Problem?) -> [String]? {
        var keeps = false
        var isVerified = false
        var program: Substring?
        var hasLogindAfter = false
        for line in lines {
            guard let kind = line.first, let module = line.firstIndex(where: isModule) else { continue }
            let name = line[module]
            let arguments = line[(module + 1)...]
            switch kind.drop(while: { $0 == "-" }) {
            case "auth" where PAMStack.isOurs(name):
                keeps = keeps || arguments.contains("keep")
                isVerified = isVerified || arguments.contains("verdict")
            case "session" where PAMStack.isOurs(name):
                if let hook = arguments.first(where: { $0.hasPrefix("hook=") }) { program = hook.dropFirst(5) }
            case "session" where name.hasSuffix("pam_systemd.so"):
                hasLogindAfter = hasLogindAfter || program != nil
            default: continue
            }
        }
        guard let program else { return nil }
        var problems: [String] = []
        if !keeps { problems.append("no auth line of pam_boxagent.so has 'keep'") }
        if !isVerified { problems.append("no line 'pam_boxagent.so verdict' follows the password modules") }
        if hasLogindAfter { problems.append("its line comes before pam_systemd.so's") }
        if let problem = look(String(program)) { problems.append("\(program) \(problem.text)") }
        return problems
    }

    /// Checks the program as session-hook will. Paths that this user may not read are not judged.
    static func distrust(_ path: String) -> ProgramTrust.Problem? {
        let bytes = Array(path.utf8)
        let steps = ProgramTrust.steps(of: bytes)
        for step in steps {
            var status = stat()
            let isFound = lstat(String(decoding: step, as: UTF8.self), &status) == 0
            if !isFound, errno == EACCES { return nil }
            let found = ProgramTrust.Step(
                owner: status.st_uid, isDirectory: status.st_mode & S_IFMT == S_IFDIR,
                isFile: status.st_mode & S_IFMT == S_IFREG, othersMayWrite: status.st_mode & 0o022 != 0,
                mayRun: status.st_mode & 0o111 != 0)
            let isLast = step == bytes
            if let problem = ProgramTrust.problem(with: isFound ? found : nil, isLast: isLast, own: 0) {
                return problem
            }
        }
        return nil
    }

    /// Controls in brackets contain spaces, so the module is not always the third word.
    private static func isModule(_ word: Substring) -> Bool { word.hasSuffix(".so") }
}
