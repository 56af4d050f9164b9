import PhoneCore
import PhoneMessages
import Secrets
import SecureChannel
import VaultPort

extension Order {
    /// What the person wants, as the host says it: a word, the rows of the boxes that are meant, and what belongs to the word.
    static func read(_ input: RawSpan) throws(HostError) -> Order {
        var reader = HostReader()
        let word = try reader.begin(input)
        let order: Order
        switch word {
        case "enrol":
            let code = try readCode(&reader, input)
            let label = try reader.bytes(input, limit: HostLimits.textBytes)
            guard LabelRules.isAllowed(label) else { throw .unintelligible }
            order = .enrol(code, label: label, waiting: try KnownBox.readOptional(&reader, input))
        case "scan": order = .scan(try KnownBox.readAll(&reader, input))
        case "find":
            let digits = try reader.text(input, limit: 6)
            order = .find(digits: digits, among: try KnownBox.readAll(&reader, input))
        default: order = try readForTarget(word, &reader, input)
        }
        try reader.finish(input)
        return order
    }

    private static func readForTarget(
        _ word: HostWord, _ reader: inout HostReader, _ input: RawSpan
    ) throws(HostError) -> Order {
        let target = try readTarget(&reader, input)
        switch word {
        case "login": return .login(target, asksPerson: try reader.flag(input))
        case "watch": return .watch(target)
        case "extend": return .extend(target)
        case "choose": return .choose(target)
        case "ping":
            let size = try reader.integer(input, in: 1...MessageLimits.pingBytes)
            return .ping(target, size: size, count: try reader.integer(input, in: 1...1_000))
        case "measure":
            let count = try reader.integer(input, in: 1...1_000)
            return .measure(target, count: count, every: .milliseconds(try reader.integer(input, in: 1...60_000)))
        default:
            guard let question = try BoxQuestion.read(word, &reader, input) else { throw .unintelligible }
            return .request(target, question)
        }
    }

    private static func readTarget(_ reader: inout HostReader, _ input: RawSpan) throws(HostError) -> BoxTarget {
        let rows = try KnownBox.readAll(&reader, input)
        do throws(PhoneError) { return try BoxTarget.find(nil, among: rows) } catch { throw .noTarget }
    }

    private static func readCode(_ reader: inout HostReader, _ input: RawSpan) throws(HostError) -> EnrolmentCode {
        let text = try reader.secret(input, limit: HostLimits.codeBytes)
        do throws(EnrolmentURIError) { return try EnrolmentCode(parsing: text.bytes) } catch { throw .notACode }
    }
}

extension BoxQuestion {
    /// Nil: no question has this word.
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
        case "logInWithPIN": return .loginWithPIN(try reader.pin(input))
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
