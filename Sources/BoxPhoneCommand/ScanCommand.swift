import VaultPort
import ArgumentParser
import PhoneCore
import PhoneKit
import TextOutput

struct ScanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan", abstract: "List the boxes in range, in about four seconds.",
        discussion: """
            The list says which boxes belong to this phone's site.
            """)

    @OptionGroup var listing: ListingOptions

    @OptionGroup var options: GlobalOptions
    @OptionGroup var loopback: LoopbackOptions

    func run() throws {
        try Program.run(options, loopback) { (program) throws(Complaint) in
            await program.progress.show("listening for boxes")
            let seen = try await program.trying { (phone) throws(PhoneError) in
                try await phone.scan()
            }
            for box in seen {
                if listing.json {
                    program.console.sayWhole(box.json.line)
                } else {
                    program.console.say(box.line, box.isAlarming ? .yellow : nil)
                }
            }
            guard seen.isEmpty else { return .done }
            if !listing.json {
                program.console.note("No box is in range. Go nearer, and check that the box is switched on.")
            }
            return .notFound
        }
    }
}

extension SeenBox {
    fileprivate var isAlarming: Bool {
        if case .other = standing { true } else { false }
    }

    fileprivate var line: String {
        let strength = rssi.map { "  \($0) dBm" } ?? ""
        let double = hasDouble ? "  (another box in range has the same box ID)" : ""
        switch standing {
        case .unknown: return "\(boxID)  not enrolled here\(strength)\(double)"
        case .known(let box) where box.site != nil:
            return "\(boxID)  of your site, for \(box.userText)\(strength)\(double)"
        case .known(let box): return "\(boxID)  enrolled, for \(box.userText)\(strength)\(double)"
        case .other(let problem): return "\(boxID)  NOT your box: it \(problem)\(strength)\(double)"
        case .unreachable(let error): return "\(boxID)  did not answer: \(error)\(strength)\(double)"
        }
    }

    fileprivate var json: JSONValue {
        let (word, user, problem): (String, String?, String?) =
            switch standing {
            case .unknown: ("unknown", nil, nil)
            case .known(let box): (box.site == nil ? "known" : "site", String(decoding: box.user, as: UTF8.self), nil)
            case .other(let problem): ("other", nil, "\(problem)")
            case .unreachable(let error): ("unreachable", nil, "\(error)")
            }
        return .record([
            ("box", .text(boxID)), ("standing", .text(word)), ("user", .text(orNull: user)),
            ("problem", .text(orNull: problem)), ("rssi", .number(orNull: rssi)), ("same_digits", .flag(hasDouble)),
        ])
    }
}
