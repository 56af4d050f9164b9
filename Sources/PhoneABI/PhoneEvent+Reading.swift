import Links
import PhoneCore
import PhoneMessages
import Secrets
import VaultPort

extension PhoneEvent {
    /// Reads an event from the host.
    static func read(_ input: RawSpan) throws(HostError) -> PhoneEvent {
        var reader = HostReader()
        let word = try reader.begin(input)
        let event = try read(word, &reader, input)
        try reader.finish(input)
        return event
    }

    private static func read(
        _ word: HostWord, _ reader: inout HostReader, _ input: RawSpan
    ) throws(HostError) -> PhoneEvent {
        switch word {
        case "time": return .time
        case "stop": return .stop
        case "cancel": return .cancel
        case "pin": return .pin(try reader.isNull(input) ? nil : try reader.pin(input))
        case "chosen": return .chosen(try reader.isNull(input) ? nil : try reader.bytes(input, count: 16))
        case "again": return .again(try reader.flag(input))
        case "tap": return .tap(try WatchTap.read(&reader, input))
        default: break
        }
        let number = OperationNumber(rawValue: try reader.number(input))
        switch word {
        case "heard": return .heard(number, try readAdvertisement(&reader, input))
        case "scanOver": return .scanOver(number, try reader.isNull(input) ? nil : try LinkError.read(&reader, input))
        case "linked": return .linked(number)
        case "identity": return .identity(number, try reader.bytes(input, limit: HostLimits.identityBytes))
        case "opened": return .opened(number, try Carrier.read(&reader, input))
        case "segment": return .segment(number, try reader.bytes(input, limit: HostLimits.segmentBytes))
        case "written": return .written(number)
        case "linkDown": return .linkDown(number, try LinkError.read(&reader, input))
        case "signal":
            return .signal(number, dBm: try reader.isNull(input) ? nil : try reader.integer(input, in: -127...20))
        case "vault": return .vault(number, try PhoneVaultAnswer.read(&reader, input))
        default: throw .unintelligible
        }
    }

    private static func readAdvertisement(
        _ reader: inout HostReader, _ input: RawSpan
    ) throws(HostError) -> Advertisement {
        let name = try reader.bytes(input, limit: HostLimits.textBytes)
        let address = try reader.text(input, limit: HostLimits.textBytes)
        let rssi = try reader.isNull(input) ? nil : try reader.integer(input, in: -127...20)
        return Advertisement(name: name, address: address, rssi: rssi)
    }
}

extension LinkError {
    fileprivate static func read(_ reader: inout HostReader, _ input: RawSpan) throws(HostError) -> LinkError {
        switch try reader.word(input) {
        case "closed": return .closed
        case "timedOut": return .timedOut
        case "cancelled": return .cancelled
        case "refused": return .refused
        case "notFound": return .notFound
        case "radio": return .radio(try reader.text(input, limit: HostLimits.textBytes))
        default: throw .unintelligible
        }
    }
}

extension Carrier {
    fileprivate static func read(_ reader: inout HostReader, _ input: RawSpan) throws(HostError) -> Carrier {
        let name = try reader.text(input, limit: HostLimits.textBytes)
        let binding = try reader.bytes(input, limit: HostLimits.wordBytes)
        guard !binding.isEmpty else { throw .unintelligible }
        let sent = try reader.integer(input, in: SegmentLimits.leastBytes...HostLimits.segmentBytes)
        let received = try reader.integer(input, in: SegmentLimits.leastBytes...HostLimits.segmentBytes)
        return Carrier(
            name: name, binding: binding, limits: SegmentLimits(sentBytes: sent, receivedBytes: received),
            carries: .little)
    }
}

extension WatchTap {
    fileprivate static func read(_ reader: inout HostReader, _ input: RawSpan) throws(HostError) -> WatchTap {
        switch try reader.word(input) {
        case "lock": return .act(.lock)
        case "unlock": return .act(.unlock)
        case "logout": return .act(.logout)
        case "extend": return .act(.extend)
        case "logIn":
            let pin = try reader.pin(input)
            return .logIn(.loginWithPIN(pin: pin, deviceSecret: try reader.deviceSecret(input)))
        case "logInWithPassword": return .logIn(.login(try reader.credential(input)), isStored: false)
        case "allow":
            let id = try readElevation(&reader, input)
            let pin = try reader.pin(input)
            return .allow(.elevateWithPIN(id, pin: pin, deviceSecret: try reader.deviceSecret(input)))
        case "allowWithPassword":
            let id = try readElevation(&reader, input)
            return .allow(.elevate(id, try reader.credential(input)), isStored: false)
        case "decline": return .decline(try readElevation(&reader, input))
        default: throw .unintelligible
        }
    }

    private static func readElevation(
        _ reader: inout HostReader, _ input: RawSpan
    ) throws(HostError) -> ElevationID {
        guard let id = ElevationID(rawValue: UInt32(try reader.number(input, limit: UInt64(UInt32.max)))) else {
            throw .unintelligible
        }
        return id
    }
}

extension PhoneVaultAnswer {
    fileprivate static func read(
        _ reader: inout HostReader, _ input: RawSpan
    ) throws(HostError) -> PhoneVaultAnswer {
        switch try reader.word(input) {
        case "done": return .done
        case "box": return .box(try KnownBox.readOptional(&reader, input))
        case "secret":
            return .secret(
                try reader.isNull(input)
                    ? nil : try reader.secret(input, limit: MessageLimits.deviceSecretBytes))
        case "siteKey":
            let id = try reader.bytes(input, count: 16)
            let key = try reader.secret(input, limit: X25519KeyPair.keyBytes)
            return .siteKey(id, key)
        case "credential":
            let outcome = try readOutcome(&reader, input)
            let triesLeft = try reader.isNull(input) ? nil : try reader.integer(input, in: 0...Int(PINRules.attempts))
            return .credential(outcome, triesLeft: triesLeft)
        case "passwordHistory":
            let time = try reader.isNull(input) ? nil : try reader.number(input, limit: UInt64(Int64.max))
            let unknown = Int(clamping: try reader.number(input))
            return .passwordHistory(PasswordHistory(refusedAt: time.map { Int64(clamping: $0) }, unknown: unknown))
        case "failed": return .failed(try readFailure(&reader, input))
        default: throw .unintelligible
        }
    }

    private static func readOutcome(
        _ reader: inout HostReader, _ input: RawSpan
    ) throws(HostError) -> PhoneCredentialOutcome {
        switch try reader.word(input) {
        case "opened": return .opened(try reader.credential(input))
        case "pinNeeded": return .pinNeeded
        case "pinWrong":
            return .pinWrong(attemptsLeft: UInt8(try reader.number(input, limit: UInt64(PINRules.attempts))))
        case "wiped": return .wiped
        case "noCredential": return .noCredential
        default: throw .unintelligible
        }
    }

    private static func readFailure(_ reader: inout HostReader, _ input: RawSpan) throws(HostError) -> VaultError {
        switch try reader.word(input) {
        case "full": return .diskFull
        case "busy": return .busy
        case "cancelled": return .cancelled
        case "notFound": return .notFound(what: "box")
        case "unusable":
            return .unusable(path: "this phone's store", reason: try reader.text(input, limit: HostLimits.textBytes))
        default: throw .unintelligible
        }
    }
}
