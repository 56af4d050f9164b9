import VaultPort
import ArgumentParser
import PhoneCore
import PhoneKit
import TextOutput

struct ScanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan", abstract: "List the boxes in range; takes about four seconds.",
        discussion: """
            A box of this phone's site is said to be one.
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
                program.console.say(
                    listing.json ? box.json.line : box.line, box.isAlarming && !listing.json ? .yellow : nil)
            }
            guard seen.isEmpty else { return .done }
            if !listing.json { program.console.note("No box in range; go nearer, and check that one is switched on.") }
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
        let double = hasDouble ? "  (another box in range shows the same digits)" : ""
        switch standing {
        case .unknown: return "\(boxID)  not enrolled here\(strength)\(double)"
        case .known(let box) where box.site != nil:
            return "\(boxID)  of your site, for \(box.userText)\(strength)\(double)"
        case .known(let box): return "\(boxID)  enrolled, for \(box.userText)\(strength)\(double)"
        case .other(let problem): return "\(boxID)  NOT your box: it \(problem)\(strength)\(double)"
        case .unreachable(let error): return "\(boxID)  could not be asked: \(error)\(strength)\(double)"
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
