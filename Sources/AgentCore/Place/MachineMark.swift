import AuditLog
import Secrets

/// The facts that identify a machine (docs/decisions/058-state-of-one-machine.md). Pure: the shell reads them.
package struct MachineMark: Sendable {
    /// The most lines kept, which is enough even for a machine that often gets a new adapter or a new system.
    private static let lineLimit = 20
    /// An upper bound on the file's size, in bytes.
    package static let fileBytes = 1_024

    // The names of lines. The lines hold machine-id(5), derived for this program, the firmware's UUID (DMI), and
    // permanent addresses: of built-in network cards, and of movable devices (USB network cards and Bluetooth
    // adapters).
    private static let (machineID, productUUID) = ("machine-id ", "product-uuid ")
    private static let (builtIn, address) = ("built-in ", "address ")
    private static let end = "end\n"
    private static let (idBytes, addressBytes) = (16, 6)
    /// The application ID for sd_id128_get_machine_app_specific(3), drawn once for this program.
    private static let application: [UInt8] = [
        0x7B, 0x1E, 0x5A, 0x0C, 0x93, 0x42, 0x4D, 0x6F, 0xA8, 0x31, 0xE4, 0x57, 0x0B, 0xC2, 0x96, 0xDD,
    ]
    /// Values that many machines share: UUIDs of firmware without a real number, and the addresses of two Bluetooth chips,
    /// a USB network card, a modem and the first card of a QEMU guest.
    private static let common = [
        "03000200040005000006000700080009", "00020003000400050006000700080009", "123456781234567890abcddeefaabbcc",
        "4c4c454400002010802080c04f202020", "001a7dda7113", "20700200a100", "207002a10000", "00e04c534458",
        "0c5b8f279a64", "525400123456",
    ]

    private var lines: [String] = []

    /// Takes the facts as the system's files have them: hexadecimal digits, separated by `-` or `:`.
    package init(machineID: String?, productUUID: String?, builtIn: [String], addresses: [String]) {
        if let id = machineID.flatMap({ Self.bytes($0, Self.idBytes) }) {
            lines.append(Self.machineID + Hexadecimal.text(Self.derived(id)))
        }
        if let uuid = productUUID.flatMap({ Self.bytes($0, Self.idBytes) }) { add(Self.productUUID, uuid) }
        for (name, texts) in [(Self.builtIn, builtIn), (Self.address, addresses)] {
            for text in texts {
                // A group address does not identify a device (IEEE 802).
                if let bytes = Self.bytes(text, Self.addressBytes), bytes[0] & 1 == 0 { add(name, bytes) }
            }
        }
    }

    /// Returns whether both marks belong to one machine. A fact that only one mark has is ignored. Different firmware
    /// UUIDs mean different machines. Otherwise, built-in cards decide if both marks have them: a docking station or an
    /// adapter moves from one machine to another.
    package func isSame(as other: MachineMark) -> Bool {
        let uuid = isEqual([Self.productUUID], in: other)
        if uuid == false { return false }
        return isEqual([Self.builtIn], in: other) ?? isEqual([Self.builtIn, Self.address], in: other)
            ?? uuid ?? isEqual([Self.machineID], in: other) ?? true
    }

    /// Returns whether both marks have a value in common under these names, or nil if one mark has no value.
    private func isEqual(_ names: [String], in other: MachineMark) -> Bool? {
        let (mine, theirs) = (values(names), other.values(names))
        guard !mine.isEmpty, !theirs.isEmpty else { return nil }
        return mine.contains { theirs.contains($0) }
    }

    private func values(_ names: [String]) -> [Substring] {
        names.flatMap { name in lines.filter { $0.hasPrefix(name) }.map { $0.dropFirst(name.count) } }
    }

    /// Returns the mark with the lines of a newer mark of the same machine added. If they exceed the limit, lines that
    /// only the old mark has are removed.
    package func learning(_ newer: MachineMark) -> MachineMark {
        guard newer.lines.contains(where: { !lines.contains($0) }) else { return self }
        var mark = newer
        for line in lines where mark.lines.count < Self.lineLimit && !newer.lines.contains(line) {
            mark.lines.append(line)
        }
        return mark
    }

    private mutating func add(_ name: String, _ bytes: [UInt8]) {
        let digits = Hexadecimal.text(bytes)
        guard lines.count < Self.lineLimit, bytes.contains(where: { $0 != bytes[0] }), !Self.common.contains(digits),
            !values([Self.builtIn, Self.address]).contains(digits[...])
        else { return }
        lines.append(name + digits)
    }

    // MARK: - The file

    /// The lines of the file. The last one is `end`.
    package var text: String { lines.map { $0 + "\n" }.joined() + Self.end }

    /// Parses a file. Returns nil if it is incomplete or not valid.
    package init?(text: String) {
        for line in text.split(separator: "\n") where line != Self.end.dropLast() {
            guard Self.isLine(line) else { return nil }
            lines.append(String(line))
        }
        guard text == self.text else { return nil }
    }

    private static func isLine(_ line: Substring) -> Bool {
        for name in [machineID, productUUID, builtIn, address] where line.hasPrefix(name) {
            let bytes = name == address || name == builtIn ? addressBytes : idBytes
            return line.utf8.count == name.utf8.count + 2 * bytes
        }
        return false
    }

    // MARK: - Bytes

    private static func bytes(_ text: String, _ count: Int) -> [UInt8]? {
        var digits: [UInt8] = []
        for byte in text.utf8 where byte != UInt8(ascii: "-") && byte != UInt8(ascii: ":") {
            digits.append((0x41...0x46).contains(byte) ? byte | 0x20 : byte)
        }
        return Hexadecimal.bytes(digits, count: count)
    }

    /// Returns the ID that sd_id128_get_machine_app_specific(3) derives, which does not reveal the machine's own ID.
    private static func derived(_ id: [UInt8]) -> [UInt8] {
        var code = Array(HMACSHA256.authenticationCode(of: application, key: SecretBytes(copying: id)).prefix(idBytes))
        code[6] = code[6] & 0x0F | 0x40
        code[8] = code[8] & 0x3F | 0x80
        return code
    }
}
