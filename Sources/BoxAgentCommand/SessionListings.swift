import ControlProtocol
import TextOutput

/// Sessions as a table, as JSON, and as results of a command.
enum SessionListings {
    static let head = ["SESSION", "USER", "PLACE", "TYPE", "STATE", "LOCKER", "OPENED BY"]

    /// Columns with names that others chose, or with IDs, which may be long.
    static let flexible: Set = [1, 2, 6]

    static func row(_ session: SessionListing) -> [String] {
        [
            session.id.isEmpty ? "-" : Printable.text(session.id), Printable.text(session.user),
            session.place.isEmpty ? "-" : Printable.text(session.place),
            session.type.isEmpty ? "-" : Printable.text(session.type), "\(session.state)",
            session.canLock ? "yes" : "none", session.device.map { "phone " + Printable.text($0) } ?? "no phone",
        ]
    }

    static func json(_ session: SessionListing) -> JSONValue {
        .record([
            ("id", .bytes(session.id)), ("user", .bytes(session.user)), ("place", .bytes(session.place)),
            ("type", .text(session.type)), ("state", .word(session.state)),
            ("can_lock", .flag(session.canLock)), ("device", .optional(session.device) { .bytes($0) }),
            ("outcome", .optional(session.outcome) { .word($0) }), ("reason", .text(session.reason)),
        ])
    }

    /// Returns the result for one session as a sentence.
    static func sentence(_ session: SessionListing) -> String {
        let name = session.id.isEmpty ? "the session" : "session \(Printable.text(session.id))"
        let place = session.place.isEmpty ? "" : " on \(Printable.text(session.place))"
        let whose = "\(name) of \(Printable.text(session.user))\(place)"
        switch session.outcome {
        case .done:
            let done =
                switch session.state {
                case .locked: "locked"
                case .active: "unlocked"
                case .closing: "ended"
                }
            return "\(whose): \(done)"
        case .cannot: return "\(whose): not possible: \(Printable.text(session.reason))"
        case .failed, nil: return "\(whose): failed: \(Printable.text(session.reason))"
        }
    }
}
