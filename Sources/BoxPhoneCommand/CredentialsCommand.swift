import VaultPort
import ArgumentParser
import PhoneCore
import PhoneKit
import Secrets

struct CredentialsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credentials", abstract: "Store the password for a box.", subcommands: [Set.self])

    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Enter the password that logs you in at a box.",
            discussion: """
                If the box keeps passwords, this command sends yours there with a new PIN, and all PIN tries are \
                available again. Use it after you changed your password, forgot the PIN or entered too many wrong \
                PINs. Otherwise this phone keeps the password, behind the phone's own PIN if it has one. A site has \
                one password for all of its boxes: name the site as in `boxphone site list`. If the site keeps \
                passwords, name one of its boxes by the digits on its screen.
                """)

        @OptionGroup var box: BoxArgument
        @OptionGroup var passwordOptions: PasswordOptions
        @OptionGroup var pinOptions: PINOptions
        @OptionGroup var newPINOptions: NewPINOptions
        @OptionGroup var options: GlobalOptions
        @OptionGroup var loopback: LoopbackOptions

        func validate() throws {
            try refuseSharedDescriptors(
                ("--password-fd", passwordOptions.descriptor), ("--pin-fd", pinOptions.descriptor),
                ("--new-pin-fd", newPINOptions.descriptor))
            if pinOptions.descriptor != nil, newPINOptions.descriptor != nil {
                throw ValidationError(
                    "give only one: --new-pin-fd for the PIN at a box, or --pin-fd for the PIN of this phone")
            }
        }

        func run() throws {
            try Program.run(options, loopback) { (program) throws(Complaint) in
                if let site = try await program.siteMeant(by: box), site.mode == .phoneHeld {
                    let password = try await program.password(
                        passwordOptions.descriptor, question: "Password for site \(site.name): ")
                    return try await keep(program, site.box(""), "site \(site.name)", password)
                }
                var target = try await program.target(box)
                if target.candidates.contains(where: { $0.mode != .phoneHeld }) {
                    target = try await program.chosen(target)
                }
                let password = try await program.password(
                    passwordOptions.descriptor, question: "Password for box \(target.boxID): ")
                guard let keeper = target.candidates.first(where: { $0.mode != .phoneHeld }) else {
                    guard let box = target.candidates.first, target.candidates.count == 1 else {
                        throw Complaint(
                            .usage,
                            "several enrolled boxes have the box ID \(target.boxID); name one as in: boxphone boxes")
                    }
                    return try await keep(program, box, "box \(box.digits)", password)
                }
                let pin = try await program.newPIN(
                    newPINOptions.descriptor ?? pinOptions.descriptor,
                    option: pinOptions.descriptor == nil ? "--new-pin-fd" : "--pin-fd")
                let box = target
                let outcome = try await program.trying { (phone) throws(PhoneError) in
                    try await phone.storeCredential(box, credential: password, pin: pin, program.interaction())
                }
                try program.conclude(outcome, target)
                let who = keeper.mode == .siteHeld ? "Your site" : "Box \(target.boxID)"
                program.console.say("\(who) now keeps your password, and your PIN opens it.", .green)
                return .done
            }
        }

        private func keep(
            _ program: Program, _ box: KnownBox, _ name: String, _ password: HeldSecret
        ) async throws(Complaint) -> ExitStatus {
            var pin: HeldSecret?
            if try await program.trying({ (phone) throws(PhoneError) in try await phone.hasPIN() }) {
                pin = try await program.phonePIN(pinOptions.descriptor)
            }
            try await program.keep(password, for: box, pin: pin)
            program.console.say("This phone now keeps your password for \(name).", .green)
            return .done
        }
    }
}

extension Program {
    /// Returns the site whose password is meant, or nil if a box is meant. The site is named, or chosen by a box's six
    /// digits. A phone without boxes needs no name for its only site. No box needs to be near.
    fileprivate func siteMeant(by box: BoxArgument) async throws(Complaint) -> SiteAccess? {
        let sites = try await trying { (phone) throws(PhoneError) in try await phone.sites.all() }
        let boxes = try await trying { (phone) throws(PhoneError) in try await phone.boxes() }
        guard let only = sites.first else { return nil }
        guard let name = box.name else { return boxes.isEmpty && sites.count == 1 ? only : nil }
        do throws(PhoneError) {
            if name.utf8.count > 6 { return try SiteAccess.find(name, among: sites) }
        } catch {
            return nil
        }
        return boxes.isEmpty && sites.count == 1 && name.utf8.count == 6 ? only : nil
    }
}
