import VaultPort
import ArgumentParser
import PhoneCore
import PhoneKit
import TextOutput
import Vault

struct BoxesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "boxes", abstract: "List the boxes where this phone is enrolled.")

    @OptionGroup var listing: ListingOptions

    @OptionGroup var options: GlobalOptions
    @OptionGroup var loopback: LoopbackOptions

    func run() throws {
        try Program.run(options, loopback) { (program) throws(Complaint) in
            let boxes = try await program.trying { (phone) throws(PhoneError) in try await phone.boxes() }
            for box in boxes {
                if listing.json {
                    program.console.sayWhole(box.json(among: boxes).line)
                } else {
                    program.console.say(box.line(among: boxes))
                }
            }
            guard boxes.isEmpty, !listing.json else { return .done }
            let sites = try await program.trying { (phone) throws(PhoneError) in try await phone.sites.all() }
            let complaint = sites.isEmpty ? PhoneError.noBoxes : PhoneError.numberNeeded
            program.console.note(complaint.description)
            return .done
        }
    }
}

extension KnownBox {
    fileprivate func line(among boxes: [KnownBox]) -> String {
        var parts = [name(among: boxes), userText]
        switch mode {
        case .phoneHeld: parts.append(hasCredential ? "password on this phone" : "no password stored")
        case .boxHeld, .siteHeld: parts.append(hasDeviceSecret ? "password at the box" : "no password stored")
        }
        if !confirmed { parts.append("NOT CONFIRMED by the administrator yet") }
        return parts.joined(separator: "  ")
    }

    fileprivate func json(among boxes: [KnownBox]) -> JSONValue {
        .record([
            ("box", .text(digits)), ("name", .text(name(among: boxes))), ("fingerprint", .text(fingerprint)),
            ("user", .text(String(decoding: user, as: UTF8.self))),
            ("label", .text(String(decoding: label, as: UTF8.self))),
            ("mode", .text(mode.word)), ("confirmed", .flag(confirmed)),
            ("password_on_phone", .flag(hasCredential)),
        ])
    }
}
