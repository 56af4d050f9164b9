import CSessionHook
import PAMProtocolEmbedded

extension ProgramTrust {
    /// Returns the first step of the path that a user other than root could change.
    // SAFETY: the call fills the structure before it is read.
    static func distrust(_ path: [UInt8]) -> ([UInt8], ProgramTrust.Problem)? {
        let steps = ProgramTrust.steps(of: path)
        for (index, step) in steps.enumerated() {
            var found: ProgramTrust.Step?
            step.withCString { name in
                var status = stat()
                guard lstat(name, &status) == 0 else { return }
                let kind = status.st_mode & mode_t(S_IFMT)
                found = ProgramTrust.Step(
                    owner: status.st_uid, isDirectory: kind == mode_t(S_IFDIR), isFile: kind == mode_t(S_IFREG),
                    othersMayWrite: status.st_mode & 0o022 != 0, mayRun: status.st_mode & 0o111 != 0)
            }
            let isLast = index == steps.count - 1
            if let problem = ProgramTrust.problem(with: found, isLast: isLast, own: geteuid()) {
                return (step, problem)
            }
        }
        return nil
    }
}
