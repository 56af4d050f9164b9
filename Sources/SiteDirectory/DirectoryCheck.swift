import CDirectory
import Glibc

/// `--check`: reports whether this machine notices in time that users have left.
enum DirectoryCheck {
    private static let directory = "/etc/sssd"
    private static let limitBytes = 1 << 20

    /// Prints the problems, and the answer about `name` unless it is nil. Returns the exit status.
    static func run(service: String, name: String?) -> Int32 {
        var problems: [String] = []
        if cdirectory_has_service(service) == 0 {
            problems.append(
                "there is no /etc/pam.d/\(service), so PAM would refuse every user: install the package again, or write the file"
            )
        }
        if access("\(directory)/sssd.conf", F_OK) != 0, errno == ENOENT {
            say(
                "\(directory)/sssd.conf does not exist: if another program asks the directory, it must not cache answers "
                    + "for more than \(SSSDSettings.longest) s")
        } else if let text = read("\(directory)/sssd.conf") {
            problems += SSSDSettings(([text] + snippets()).joined(separator: "\n")).problems
        } else {
            problems.append("\(directory)/sssd.conf cannot be read: run this command as root")
        }
        if let name {
            let found = DirectoryLookUp.find(name, [], service)
            say("\(name): \(found.kind.rawValue)" + (found.why.map { ", \($0)" } ?? ""))
            if found.kind != .there { problems.append("\(name) would not get a phone") }
        }
        for problem in problems { say("to do: \(problem)") }
        if problems.isEmpty { say("no problems") }
        return problems.isEmpty ? 0 : 1
    }

    /// Returns the files in conf.d, in the order in which sssd reads them.
    private static func snippets() -> [String] {
        guard let found = opendir("\(directory)/conf.d") else { return [] }
        defer { closedir(found) }
        var names: [String] = []
        while let entry = Glibc.readdir(found) {
            // SAFETY: readdir(3) ends the name with NUL, inside the record.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".conf"), !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted().compactMap { read("\(directory)/conf.d/\($0)") }
    }

    private static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limitBytes)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }

    private static func say(_ text: String) { DirectoryMain.write(1, text + "\n") }
}
