import ArgumentParser

/// The source of a password other than the terminal.
struct PasswordOptions: ParsableArguments {
    @Option(
        name: .customLong("password-fd"),
        help: ArgumentHelp("Read the password from file descriptor N.", valueName: "N"))
    var descriptor: Int32?
}

/// The source of a PIN other than the terminal.
struct PINOptions: ParsableArguments {
    @Option(
        name: .customLong("pin-fd"),
        help: ArgumentHelp("Read the PIN from file descriptor N.", valueName: "N"))
    var descriptor: Int32?
}

/// The source of a new PIN other than the terminal.
struct NewPINOptions: ParsableArguments {
    @Option(
        name: .customLong("new-pin-fd"),
        help: ArgumentHelp("Read the new PIN from file descriptor N.", valueName: "N"))
    var descriptor: Int32?
}

/// Rejects two secrets from one descriptor, because a descriptor is read to its end for one secret.
func refuseSharedDescriptors(_ options: (name: String, descriptor: Int32?)...) throws {
    var seen: [Int32: String] = [:]
    for (name, descriptor) in options {
        guard let descriptor else { continue }
        guard descriptor >= 0 else { throw ValidationError("\(name) takes a descriptor, a whole number from 0") }
        if let other = seen.updateValue(name, forKey: descriptor) {
            throw ValidationError("\(other) and \(name) name the same descriptor \(descriptor); give each its own")
        }
    }
}
