import Links
import PhoneCore
import PhoneMessages
import Secrets
import SecureChannel
import VaultPort

/// A host's order and, for an order at a site, the calendar time.
struct HostOrder {
    var order: Order
    /// Seconds since 1970.
    var unixSeconds: UInt64?

    /// Reads an order: a word and the fields that the word requires.
    static func read(_ input: RawSpan) throws(HostError) -> HostOrder {
        var reader = HostReader()
        let word = try reader.begin(input)
        let order = try read(word, &reader, input)
        try reader.finish(input)
        return order
    }

    private static func read(
        _ word: HostWord, _ reader: inout HostReader, _ input: RawSpan
    ) throws(HostError) -> HostOrder {
        switch word {
        case "enrol":
            let code = try reader.code(input) { text throws(EnrolmentURIError) in try EnrolmentCode(parsing: text) }
            let label = try reader.label(input)
            return HostOrder(order: .enrol(code, label: label, waiting: try KnownBox.readOptional(&reader, input)))
        case "find":
            let digits = try reader.text(input, limit: 6)
            return HostOrder(order: .find(digits: digits, among: try KnownBox.readAll(&reader, input)))
        case "join":
            let seconds = try reader.number(input, limit: UInt64(Int64.max))
            let code = try reader.code(input) { text throws(SiteEnrolmentCodeError) in try SiteCode(parsing: text) }
            let label = try reader.label(input)
            let number = try reader.isNull(input) ? nil : try reader.text(input, limit: 6)
            return HostOrder(
                order: .join(code, label: label, number: number, try KnownSite.readAll(&reader, input)),
                unixSeconds: seconds)
        case "atSite":
            let seconds = try reader.number(input, limit: UInt64(Int64.max))
            let site = try KnownSite.read(&reader, input)
            let number = try reader.text(input, limit: 6)
            guard let access = try? SiteAccess(site), Advertisement.isBoxID(number.bytes) else { throw .noTarget }
            let word = try reader.word(input)
            let order = try Order.read(word, BoxTarget(access.box(number)), &reader, input)
            return HostOrder(order: access.stoppedUntil == nil ? order : .failing(.siteStopped), unixSeconds: seconds)
        default:
            let rows = try KnownBox.readAll(&reader, input)
            let target: BoxTarget
            do throws(PhoneError) { target = try BoxTarget.find(nil, among: rows) } catch { throw .noTarget }
            return HostOrder(order: try Order.read(word, target, &reader, input))
        }
    }
}

extension Order {
    fileprivate static func read(
        _ word: HostWord, _ target: BoxTarget, _ reader: inout HostReader, _ input: RawSpan
    ) throws(HostError) -> Order {
        switch word {
        case "reconsider": return .reconsider(target)
        case "login": return .login(target, asksPerson: try reader.flag(input))
        case "logInWithPIN": return .login(target, pin: try reader.pin(input))
        case "watch": return .watch(target)
        default:
            guard let question = try BoxQuestion.read(word, &reader, input) else { throw .unintelligible }
            return .request(target, question)
        }
    }
}

extension BoxQuestion {
    /// Returns nil if no question has this word.
    static func read(
        _ word: HostWord, _ reader: inout HostReader, _ input: RawSpan
    ) throws(HostError) -> BoxQuestion? {
        switch word {
        case "status": return .status
        case "lock": return .lock
        case "unlock": return .unlock
        case "logout": return .logout
        case "setAutoLogout":
            return .setAutoLogout(
                seconds: UInt32(try reader.number(input, limit: UInt64(MessageLimits.durationSeconds))))
        case "setThresholds":
            guard try !reader.isNull(input) else { return .setThresholds(nil) }
            let thresholds = SignalThresholds(
                nearDBm: try reader.integer(input, in: SignalThresholds.near),
                farDBm: try reader.integer(input, in: SignalThresholds.far))
            guard thresholds.isAllowed else { throw .unintelligible }
            return .setThresholds(thresholds)
        case "logInWithPassword": return .login(try reader.credential(input))
        case "storeCredential":
            let credential = try reader.credential(input)
            return .storeCredential(credential, pin: try reader.pin(input))
        case "changePIN":
            let old = try reader.pin(input)
            return .changePIN(old: old, new: try reader.pin(input))
        default: return nil
        }
    }
}

extension HostReader {
    fileprivate mutating func label(_ input: RawSpan) throws(HostError) -> [UInt8] {
        let label = try bytes(input, limit: HostLimits.textBytes)
        guard LabelRules.isAllowed(label) else { throw .unintelligible }
        return label
    }

    fileprivate mutating func code<Code, Failure: Error>(
        _ input: RawSpan, _ parse: (borrowing SecretBytes) throws(Failure) -> Code
    ) throws(HostError) -> Code {
        let text = try secret(input, limit: HostLimits.codeBytes)
        do throws(Failure) { return try parse(text.bytes) } catch { throw .notACode }
    }

    mutating func pin(_ input: RawSpan) throws(HostError) -> HeldSecret {
        let pin = try secret(input, limit: PINRules.bytes)
        do throws(PINRuleViolation) {
            try pin.bytes.withBytes { bytes throws(PINRuleViolation) in try PINRules.check(bytes) }
        } catch {
            throw .unintelligible
        }
        return pin
    }

    mutating func credential(_ input: RawSpan) throws(HostError) -> HeldSecret {
        let credential = try secret(input, limit: CredentialRules.bytes.upperBound)
        do throws(CredentialRuleViolation) {
            try credential.bytes.withBytes { bytes throws(CredentialRuleViolation) in try CredentialRules.check(bytes) }
        } catch {
            throw .unintelligible
        }
        return credential
    }

    mutating func deviceSecret(_ input: RawSpan) throws(HostError) -> HeldSecret {
        let secret = try secret(input, limit: MessageLimits.deviceSecretBytes)
        guard secret.bytes.count == MessageLimits.deviceSecretBytes else { throw .unintelligible }
        return secret
    }
}
