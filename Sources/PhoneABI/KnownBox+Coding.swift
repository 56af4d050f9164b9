import Links
import Names
import PhoneCore
import PhoneMessages
import VaultPort

/// A row of the host's store: id, digits, box key, authority key, highest serial, user, label, mode, confirmed, and
/// whether this phone has a password and a device secret.
extension KnownBox {
    private static let fields = 11
    private static let keyBytes = 32
    private static let idBytes = 16

    static func read(_ reader: inout HostReader, _ input: RawSpan) throws(HostError) -> KnownBox {
        try reader.record(input, fields: fields) { reader throws(HostError) in try row(&reader, input) }
    }

    static func readOptional(_ reader: inout HostReader, _ input: RawSpan) throws(HostError) -> KnownBox? {
        try reader.isNull(input) ? nil : read(&reader, input)
    }

    static func readAll(_ reader: inout HostReader, _ input: RawSpan) throws(HostError) -> [KnownBox] {
        try reader.records(input, fields: fields, limit: HostLimits.boxes) { reader throws(HostError) in
            try row(&reader, input)
        }
    }

    private static func row(_ reader: inout HostReader, _ input: RawSpan) throws(HostError) -> KnownBox {
        let box = KnownBox(
            id: try reader.bytes(input, count: idBytes), boxID: try reader.bytes(input, limit: 6),
            boxKey: try reader.bytes(input, count: keyBytes), authorityKey: try reader.bytes(input, count: keyBytes),
            highestSerial: try reader.number(input), user: try reader.bytes(input, limit: UserName.byteLimit),
            label: try reader.bytes(input, limit: MessageLimits.labelBytes),
            mode: try CredentialMode.read(&reader, input),
            confirmed: try reader.flag(input), hasCredential: try reader.flag(input),
            hasDeviceSecret: try reader.flag(input))
        guard Advertisement.isBoxID(box.boxID) else { throw .unintelligible }
        return box
    }

    func write(_ writer: inout HostWriter) {
        writer.array(Self.fields)
        writer.bytes(id)
        writer.bytes(boxID)
        writer.bytes(boxKey)
        writer.bytes(authorityKey)
        writer.number(highestSerial)
        writer.bytes(user)
        writer.bytes(label)
        writer.text(mode.word)
        writer.flag(confirmed)
        writer.flag(hasCredential)
        writer.flag(hasDeviceSecret)
    }
}

extension CredentialMode {
    var word: String {
        switch self {
        case .phoneHeld: "phoneHeld"
        case .boxHeld: "boxHeld"
        // No box of a host's store has this mode (see `CredentialMode.siteHeld`).
        case .siteHeld: "siteHeld"
        }
    }

    fileprivate static func read(_ reader: inout HostReader, _ input: RawSpan) throws(HostError) -> CredentialMode {
        switch try reader.word(input) {
        case "phoneHeld": .phoneHeld
        case "boxHeld": .boxHeld
        default: throw .unintelligible
        }
    }
}
