import CDirectory
import Glibc
import SiteControl

/// The process that asks NSS and PAM. It may hang, and is then killed. It has no connection to boxsited.
enum DirectoryLookUp {
    /// The most groups of one user.
    private static let groupLimit: Int32 = 4_096
    private static let inputLimit = 1 << 20
    /// The longest name, in bytes, with its NUL.
    private static let nameBytes = DirectoryName.nameBytes + 1

    /// Reads names from standard input, and writes a finding for each user.
    static func run(service: String) -> Int32 {
        var groups: [gid_t]? = []
        for name in DirectoryRecord.names(input()) {
            switch name.kind {
            case .group:
                var number: gid_t = 0
                // If one group is not found, the groups of all users count as unknown, so that nobody's groups change.
                if cdirectory_group(name.name, &number) == 1 { groups?.append(number) } else { groups = nil }
            case .user:
                let said = DirectoryRecord.text(find(name.name, groups, service))
                guard write(1, said, said.count) == said.count else { return 1 }
            }
        }
        return 0
    }

    static func find(_ name: String, _ groups: [gid_t]?, _ service: String) -> DirectoryFinding {
        var finding = DirectoryFinding()
        var own: gid_t = 0
        var account = [CChar](repeating: 0, count: nameBytes)
        let found = cdirectory_user(name, &own, &account, account.count)
        guard found == 1 else {
            finding.kind = found == 0 ? .gone : .unclear
            if found < 0 { finding.why = String(cString: strerror(-found)) }
            return finding
        }
        // SAFETY: points to a constant text of libpam's.
        var why: UnsafePointer<CChar>?
        let verdict = Int(cdirectory_account(service, name, &why))
        if verdict != CDIRECTORY_ALLOWED {
            finding.kind = verdict == CDIRECTORY_REFUSED ? .notAllowed : .unclear
            finding.why = why.map { String(cString: $0) }
            return finding
        }
        finding.kind = .there
        let bytes = account.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        if let spelled = String(validating: bytes, as: UTF8.self), spelled != name { finding.name = spelled }
        finding.groups = groups.flatMap { memberships(of: name, own, among: $0) }
        return finding
    }

    /// Returns the indexes of the groups that have the user, or nil if that is unknown.
    private static func memberships(of name: String, _ own: gid_t, among wanted: [gid_t]) -> [UInt8]? {
        var groups = [gid_t](repeating: 0, count: Int(groupLimit))
        let count = wanted.isEmpty ? 0 : cdirectory_groups(name, own, &groups, groupLimit)
        guard count >= 0 else { return nil }
        let has = Set(groups.prefix(Int(count)))
        return wanted.indices.filter { has.contains(wanted[$0]) }.map { UInt8(clamping: $0) }
    }

    private static func input() -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < inputLimit {
            let count = read(0, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return bytes
    }
}
