import AgentCore
import Glibc

/// Reads facts about processes and terminals from the kernel's small files, which never wait for a disk.
struct KernelFacts: Sendable {
    /// Limit in bytes; none of these files is longer.
    private static let fileBytes = 4_096
    /// Major number 4 (Documentation/admin-guide/devices.txt) has virtual terminals (1 to 63) and serial lines.
    private static let terminalMajor = 4
    private static let virtualTerminals = 1...63
    /// Unix98 pseudo-terminals.
    private static let pseudoTerminalMajors = 136...143

    let proc: String
    let sys: String

    init(proc: String = "/proc", sys: String = "/sys") {
        self.proc = proc
        self.sys = sys
    }

    /// Returns nil if the process does not exist or is hidden from us.
    func process(_ id: Int32) -> SeatFacts.Process? {
        guard id > 0, let stat = Self.read("\(proc)/\(id)/stat") else { return nil }
        return Self.process(stat: stat).map { parent, device in
            SeatFacts.Process(terminal: terminal(device), parent: parent)
        }
    }

    /// Returns the ID of this boot, 16 bytes (random(4)), or nil if the kernel does not show it.
    func bootID() -> [UInt8]? {
        guard let text = Self.read("\(proc)/sys/kernel/random/boot_id") else { return nil }
        let digits = text.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "\n") }
        guard digits.count == 32 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }

    /// Returns the number of the virtual terminal in the foreground, from /sys/class/tty/tty0/active (`tty1`).
    func foregroundTerminal() -> Int? {
        guard let text = Self.read("\(sys)/class/tty/tty0/active") else { return nil }
        let line = text.prefix { $0 != UInt8(ascii: "\n") }
        let name = String(decoding: line, as: UTF8.self)
        return name.hasPrefix("tty") ? SeatFacts.number(name.dropFirst(3)) : nil
    }

    /// Reads parent and controlling terminal from proc(5)'s fields, after the command's name, which may contain
    /// anything.
    static func process(stat: [UInt8]) -> (parent: Int32, device: Int32)? {
        guard let end = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = String(decoding: stat[(end + 1)...], as: UTF8.self).split(whereSeparator: \.isWhitespace)
        // state, ppid, pgrp, session, tty_nr
        guard fields.count > 4, let parent = Int32(fields[1]), let device = Int32(fields[4]) else { return nil }
        return (parent, device)
    }

    /// Decodes a number of new_encode_dev: the minor's low byte, the major, the rest of the minor.
    func terminal(_ device: Int32) -> SeatFacts.Terminal {
        guard device != 0 else { return .none }
        let bits = Int(UInt32(bitPattern: device))
        let major = (bits >> 8) & 0xFFF
        let minor = (bits & 0xFF) | ((bits >> 12) & 0xFFF00)
        if major == Self.terminalMajor, Self.virtualTerminals.contains(minor) { return .virtual(minor) }
        guard !Self.pseudoTerminalMajors.contains(major), let name = deviceName(major, minor) else { return .other }
        return .device(name)
    }

    /// Returns a device's name: sysfs links the number to a folder with that name.
    private func deviceName(_ major: Int, _ minor: Int) -> String? {
        var target = [CChar](repeating: 0, count: Self.fileBytes)
        let count = readlink("\(sys)/dev/char/\(major):\(minor)", &target, target.count)
        guard count > 0, count < target.count else { return nil }
        let bytes = target[..<count].map { UInt8(bitPattern: $0) }
        return bytes.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func read(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: fileBytes)
        let count = Glibc.read(file, &bytes, bytes.count)
        return count > 0 ? Array(bytes[..<count]) : nil
    }
}
