import Normalization
import PhoneCore
import PhoneKit
import PhoneMessages
import Secrets

/// Reads, normalizes and checks PINs before any try is spent.
extension Program {
    /// Reads this phone's own PIN from `--pin-fd` or the terminal.
    func phonePIN(_ descriptor: Int32?) async throws(Complaint) -> HeldSecret {
        if let descriptor { return try Self.givenPIN(descriptor, option: "--pin-fd") }
        let left = try await trying { (phone) throws(PhoneError) in try await phone.triesLeft() }
        if left == 1 { warnOfLastTry() }
        return try await askPIN("PIN of this phone: ", option: "--pin-fd")
    }

    /// Reads the PIN for a box from `--pin-fd`, or from the terminal after asking the box for the tries left.
    func boxPIN(_ descriptor: Int32?, _ target: BoxTarget) async throws(Complaint) -> HeldSecret {
        if let descriptor { return try Self.givenPIN(descriptor, option: "--pin-fd") }
        let left = try await trying { (phone) throws(PhoneError) in try await phone.triesLeft(target, interaction()) }
        if left == 1 { warnOfLastTry() }
        return try await askPIN("PIN for box \(target.boxID): ", option: "--pin-fd")
    }

    func warnOfLastTry() {
        console.note("This is the last try: a wrong PIN destroys the stored password.", .yellow)
    }

    static func givenPIN(_ descriptor: Int32, option: String) throws(Complaint) -> HeldSecret {
        HeldSecret(try normalisedPIN(try SecretDescriptor.read(descriptor, option: option)))
    }

    /// Reads a new PIN. On the terminal, the user types it twice.
    func newPIN(_ descriptor: Int32?, option: String) async throws(Complaint) -> HeldSecret {
        if let descriptor { return try Self.givenPIN(descriptor, option: option) }
        while true {
            let first = try await askPIN("New PIN (4 to 32 characters): ", option: option)
            let second = try await askPIN("The same PIN again: ", option: option)
            if first.bytes.isEqual(to: second.bytes) { return first }
            console.note("The two PINs differ. Try again.", .yellow)
        }
    }

    /// Asks until the answer is a valid PIN.
    func askPIN(_ question: String, option: String) async throws(Complaint) -> HeldSecret {
        await progress.end()
        while true {
            let typed = try await terminal.askSecret(question, otherwise: "give the PIN with \(option) N")
            do throws(Complaint) {
                return HeldSecret(try Self.normalisedPIN(typed.bytes.copy()))
            } catch {
                console.note(error.sentence, .yellow)
            }
        }
    }

    /// Normalizes to NFC and checks the protocol's bounds. A violation spends no try.
    static func normalisedPIN(_ entered: consuming SecretBytes) throws(Complaint) -> SecretBytes {
        let pin: SecretBytes
        do throws(NormalizationError) {
            pin = try PINNormalizer.normalized(entered)
        } catch {
            throw Complaint(.badInput, error.description)
        }
        do throws(PINRuleViolation) {
            try pin.withBytes { (bytes) throws(PINRuleViolation) in try PINRules.check(bytes) }
        } catch {
            switch error {
            case .tooShort: throw Complaint(.badInput, "a PIN must have at least 4 characters; this one is shorter")
            case .tooLong: throw Complaint(.badInput, "a PIN can have at most 32 characters; this one is longer")
            case .notUTF8: throw Complaint(.badInput, "a PIN must be text in UTF-8; this one is not")
            }
        }
        return pin
    }
}

/// Opens stored passwords with the PIN from `--pin-fd`, or with a PIN that the user types.
actor PINUnlock: VaultUnlock {
    nonisolated let asksPerson: Bool
    private let program: Program
    /// Handed out at the first question and not kept.
    private var given: HeldSecret?

    nonisolated var unownedExecutor: UnownedSerialExecutor { program.loop.asUnownedSerialExecutor() }

    init(program: Program, given: consuming HeldSecret?) {
        asksPerson = given == nil
        self.program = program
        self.given = given
    }

    func pin(for request: UnlockRequest) async -> HeldSecret? {
        guard asksPerson else { return given.take() }
        guard Terminal.exists else { return nil }
        await program.progress.end()
        if request.isRepeated {
            program.console.note(Self.capitalised(Sentences.pinWrong(left: request.triesLeft)) + ".", .yellow)
        } else if request.isLastTry {
            program.warnOfLastTry()
        }
        let question: String
        switch request.purpose {
        case .phoneVault: question = "PIN of this phone: "
        case .boxCredential(let id): question = "PIN for box \(id): "
        }
        return try? await program.askPIN(question, option: "--pin-fd")
    }

    private static func capitalised(_ sentence: String) -> String {
        sentence.prefix(1).uppercased() + sentence.dropFirst()
    }
}
