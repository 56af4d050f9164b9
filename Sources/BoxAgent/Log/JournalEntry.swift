/// An entry in the journal's format: a sequence of fields (systemd, "Native Journal Protocol").
///
/// Field names are the cases below. A value cannot end its field: if it contains a line break, its length precedes it.
struct JournalEntry: Equatable, Sendable {
    enum Field: String {
        case message = "MESSAGE"
        case priority = "PRIORITY"
        case identifier = "SYSLOG_IDENTIFIER"
        case event = "BOXAGENT_EVENT"
        case user = "BOXAGENT_USER"
        case device = "BOXAGENT_DEVICE"
        case result = "BOXAGENT_RESULT"

        /// Longest value, in bytes; a longer one is cut.
        var limit: Int { self == .message ? 8_192 : 255 }
    }

    private(set) var bytes: [UInt8] = []

    init(_ priority: LogPriority, _ text: String, _ event: LogEvent?) {
        add(.message, Array(text.utf8))
        add(.priority, Array("\(priority.rawValue)".utf8))
        add(.identifier, Array("boxagentd".utf8))
        guard let event else { return }
        add(.event, Array(event.name.utf8))
        add(.user, event.user)
        add(.device, event.device)
        add(.result, event.result)
    }

    private mutating func add(_ field: Field, _ value: [UInt8]?) {
        guard let value = value?.prefix(field.limit), !value.isEmpty else { return }
        bytes += Array(field.rawValue.utf8)
        if value.contains(UInt8(ascii: "\n")) {
            bytes.append(UInt8(ascii: "\n"))
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: value.count >> (8 * $0)) }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes += value
        bytes.append(UInt8(ascii: "\n"))
    }
}
