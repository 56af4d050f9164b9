import CommandTool
import ControlProtocol
import TextOutput

/// The output of `boxagent status --explain` for each phone.
enum PresenceText {
    static func lines(_ phones: [PresenceListing]?) -> [String] {
        guard let phones else { return [] }
        guard !phones.isEmpty else { return ["", "no phone is present, and no session belongs to a phone"] }
        return phones.flatMap { phone in
            [
                "",
                "phone \(Printable.text(phone.device)) of \(Printable.text(phone.user)): "
                    + Printable.text(phone.state).uppercased(),
            ]
                + TextTable.lines([
                    ["  link", Printable.text(phone.link)],
                    ["  signal", signal(phone)],
                    [
                        "  thresholds",
                        "near from -\(phone.minusNearDBm) dBm, far below -\(phone.minusFarDBm) dBm"
                            + (phone.calibrated ? " (calibrated)" : ""),
                    ],
                    ["  why", Printable.text(phone.why)],
                    ["  next", next(phone)],
                ])
        }
    }

    private static func signal(_ phone: PresenceListing) -> String {
        guard let tenths = phone.minusTenthsDBm else {
            return "no average yet, \(Plural.text(phone.samples, "sample"))"
        }
        return "average -\(tenths / 10).\(tenths % 10) dBm of \(Plural.text(phone.samples, "sample"))"
    }

    private static func next(_ phone: PresenceListing) -> String {
        guard !phone.next.isEmpty else { return "nothing until something changes" }
        let tenths = (phone.nextMilliseconds ?? 0) / 100
        return Printable.text(phone.next) + ", in \(tenths / 10).\(tenths % 10) s"
    }

    static func json(_ phone: PresenceListing) -> JSONValue {
        .record([
            ("device", .bytes(phone.device)), ("user", .bytes(phone.user)), ("state", .text(phone.state)),
            ("connected", .flag(phone.connected)), ("link", .text(phone.link)),
            ("average_tenths_dbm", .optional(phone.minusTenthsDBm) { .number(-Int64(clamping: $0)) }),
            ("samples", .number(phone.samples)), ("near_dbm", .number(-Int64(clamping: phone.minusNearDBm))),
            ("far_dbm", .number(-Int64(clamping: phone.minusFarDBm))), ("calibrated", .flag(phone.calibrated)),
            ("why", .text(phone.why)), ("next", phone.next.isEmpty ? .null : .text(phone.next)),
            ("next_milliseconds", .optional(phone.nextMilliseconds) { .number($0) }),
        ])
    }
}
