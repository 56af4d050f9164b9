/// Recognizes virtual consoles: `tty1` to `tty63` (console_ioctl(2), MAX_NR_CONSOLES), with or without `/dev/`.
public enum ConsoleName {
    public static func isConsole(_ terminal: [UInt8]) -> Bool {
        let directory = TextLine("/dev/").bytes
        let name = terminal.starts(with: directory) ? terminal.dropFirst(directory.count) : terminal[...]
        let digits = name.dropFirst(3)
        guard name.starts(with: TextLine("tty").bytes), digits.count == 1 || digits.count == 2 else { return false }
        return digits.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } && digits.first != 0x30
    }
}
