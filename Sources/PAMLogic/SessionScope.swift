/// The logind session of a process, from its control group: `/user.slice/user-UID.slice/session-ID.scope`
/// (systemd-logind.service(8), "Control Groups"). sd_pid_get_session(3) works in the same way. Only root's service
/// manager makes such groups. The name alone proves nothing: users may make groups below their own `user@UID.service`.
public struct SessionScope: Equatable, Sendable {
    public let user: UInt32
    public let session: [UInt8]

    /// Longer than the names that logind uses, which are numbers, some with a letter before.
    private static let nameBytes = 16
    private static let fileBytes = 16_384

    /// - Parameters:
    ///   - process: /proc/PID/cgroup of the process.
    ///   - manager: The same file of process 1. In a container, its group is the prefix of every group (cgroups(7)).
    public static func find(in process: [UInt8], below manager: [UInt8]) -> SessionScope? {
        guard process.count <= fileBytes, manager.count <= fileBytes else { return nil }
        // The unified hierarchy, or else systemd's own hierarchy beside those of cgroup version 1.
        for hierarchy in [":", ":name=systemd:"] as [StaticString] {
            guard let group = group(in: process, hierarchy) else { continue }
            let root = root(of: self.group(in: manager, hierarchy) ?? [])
            guard group.starts(with: root) else { continue }
            if let scope = parse([UInt8](group.dropFirst(root.count))) { return scope }
        }
        return nil
    }

    private static func parse(_ group: [UInt8]) -> SessionScope? {
        let parts = group.split(separator: 0x2F, maxSplits: 8, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].isEmpty, parts[1].elementsEqual(TextLine("user.slice").bytes),
            let user = between("user-", ".slice", parts[2]), let number = number(user),
            let session = between("session-", ".scope", parts[3]), session.count <= nameBytes,
            session.allSatisfy(isLetterOrDigit)
        else { return nil }
        return SessionScope(user: number, session: session)
    }

    /// Returns the path in the hierarchy's line: `NUMBER:CONTROLLERS:PATH`, or `0::PATH` for the unified hierarchy.
    private static func group(in file: [UInt8], _ hierarchy: StaticString) -> [UInt8]? {
        let name = TextLine(hierarchy).bytes
        for line in file.split(separator: 0x0A) {
            guard let colon = line.firstIndex(of: 0x3A) else { continue }
            let number = line[..<colon]
            let rest = line[colon...].dropFirst(name.count == 1 ? 1 : 0)
            guard name.count > 1 || number.elementsEqual([0x30]), rest.starts(with: name) else { continue }
            return [UInt8](rest.dropFirst(name.count))
        }
        return nil
    }

    /// Returns the root of the hierarchy as systemd sees it. systemd itself is in `/init.scope` below that root.
    private static func root(of manager: [UInt8]) -> [UInt8] {
        let own = TextLine("/init.scope").bytes
        guard manager.count > own.count, manager.suffix(own.count).elementsEqual(own) else { return [] }
        return [UInt8](manager.dropLast(own.count))
    }

    private static func between(_ head: StaticString, _ tail: StaticString, _ text: ArraySlice<UInt8>) -> [UInt8]? {
        let (head, tail) = (TextLine(head).bytes, TextLine(tail).bytes)
        guard text.count > head.count + tail.count, text.starts(with: head), text.suffix(tail.count).elementsEqual(tail)
        else { return nil }
        return [UInt8](text.dropFirst(head.count).dropLast(tail.count))
    }

    private static func number(_ digits: [UInt8]) -> UInt32? {
        guard digits.count <= 10, digits.count == 1 || digits.first != 0x30 else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            guard digit >= 0x30, digit <= 0x39 else { return nil }
            value = value &* 10 &+ UInt64(digit &- 0x30)
        }
        // The largest number is not a user (user_namespaces(7): (uid_t) −1).
        return value < UInt64(UInt32.max) ? UInt32(truncatingIfNeeded: value) : nil
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5A) || (byte >= 0x61 && byte <= 0x7A)
    }
}
