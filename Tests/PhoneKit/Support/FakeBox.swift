import MessageLinks
import PhoneMessages
import Secrets
import SecureChannel
import Synchronization
import Transport
import Wire

@testable import PhoneCore
@testable import PhoneKit

/// A box that a phone may meet. It follows the protocol, except where a test wants a fault.
actor FakeBox {
    /// The fault of a box.
    enum Fault: Sendable, Equatable {
        /// Accepts links, but never answers message 1.
        case silentHandshake
        /// Closes at message 1, as for an unknown phone.
        case refusesHandshake
        /// Answers message 1 with random bytes in the length of message 2.
        case garbageMessage2
        /// Closes after the first transport message, without an answer.
        case closesUnanswered
        /// Sends the box's first transport message twice.
        case replaysAnswer
        /// Sends bytes that were never sealed.
        case garbageTransport
        /// Seals bytes that are not a message.
        case authenticNonsense
        /// Never answers requests, except hello.
        case silentRequests
        /// Reports an enrolment before anyone can compare digits.
        case skipsTheDigits
        /// Performs the request, then closes without the answer.
        case losesAnswer
    }

    /// Returns the messages that answer a request, in order, each after a pause.
    typealias Script = @Sendable (PhoneRequestMessage) -> [(after: Duration, say: BoxMessage)]

    let boxID: [UInt8]
    nonisolated let publicKey: [UInt8]
    nonisolated let authorityKey: [UInt8]
    private let staticKey: X25519KeyPair
    private let authority: Ed25519KeyPair
    private let world: VirtualWorld

    var serial: UInt64 = 1
    var fault: Fault?
    /// Each new link is cut after this number of segments.
    var cutAfterSegments: Int?
    /// The capabilities in the box's hello.
    var capabilities: Capabilities = .boxHeldCredentials
    /// True if the box's links have a second, quick carrier.
    var hasQuickCarrier = false
    /// Replaces the digits in the box's certificate.
    var shownDigits: [UInt8]?
    /// Replaces the identity that links show.
    var shownIdentity: [UInt8]?
    var script: Script = { _ in [] }
    /// The certificate from the box's site. With a certificate, the box accepts the handshakes of unknown phones.
    var siteCertificate: [UInt8]?
    /// Refuses every grant with this code, after it sends `first`.
    var refusesGrants: (code: ResultCode, first: [BoxMessage])?
    /// The grants, or their hashes, that phones have shown.
    private(set) var shown: [ShownGrant] = []

    /// The public keys of enrolled phones.
    var devices: Set<[UInt8]> = []
    /// The open enrolment codes: id and secret.
    var codes: [[UInt8]: HeldSecret] = [:]
    var enrolResult = EnrolResult(
        deviceID: [UInt8](repeating: 7, count: 16), user: Array("alice".utf8), credentialMode: .phoneHeld,
        boxID: Array("1234".utf8))
    /// The administrator's decision and its delay, or nil for no decision.
    var administrator: (after: Duration, accepts: Bool)? = (.seconds(2), true)

    /// Refuses enrolments with this code.
    var refuses: ResultCode?
    /// Refuses enrolments with this code after the box's nonce, before the phone's nonce has come.
    var refusesBeforeReveal: ResultCode?
    /// Stores the phone but refuses its enrolment with this code, as if an earlier request had succeeded.
    var refusesAfterConfirming: ResultCode?

    private(set) var requests: [PhoneRequest] = []
    /// The six digits of each enrolment, as the administrator saw them.
    private(set) var digits: [[UInt8]] = []
    private(set) var links: [MemoryLink] = []
    /// The number of first messages that the box received. A phone that sent none has revealed nothing.
    private(set) var firstMessages = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { world.asUnownedSerialExecutor() }

    /// - Parameter keySeed: Makes the key. Boxes with the same seeds are copies of one box.
    init(_ digits: String = "1234", authoritySeed: UInt8 = 1, keySeed: UInt8? = nil, in world: VirtualWorld) throws {
        self.world = world
        boxID = Array(digits.utf8)
        let key =
            if let keySeed {
                try X25519KeyPair(privateKey: SecretBytes(copying: [UInt8](repeating: keySeed, count: 32)))
            } else {
                X25519KeyPair()
            }
        publicKey = key.publicKey
        staticKey = key
        let authority = try Ed25519KeyPair(seed: SecretBytes(copying: [UInt8](repeating: authoritySeed, count: 32)))
        authorityKey = authority.publicKey
        self.authority = authority
    }

    /// The passwords that the box received in logins.
    var passwords: [[UInt8]] {
        requests.compactMap { if case .login(let password) = $0 { password.array } else { nil } }
    }

    /// The device secrets that the box received.
    var deviceSecrets: [[UInt8]] {
        requests.compactMap { request in
            switch request {
            case .loginWithPIN(_, let secret), .storeCredential(_, let secret, _), .changePIN(_, _, let secret):
                secret.array
            default: nil
            }
        }
    }

    /// Changes the box's behaviour from now on.
    func change(_ body: @Sendable (isolated FakeBox) -> Void) {
        body(self)
    }

    var identity: [UInt8] {
        get throws {
            if let shownIdentity { return shownIdentity }
            let certificate = try BoxCertificate.issue(
                boxID: shownDigits ?? boxID, boxKey: publicKey, serial: serial, authority: authority)
            return try BoxIdentity(certificate: certificate, authority: authorityKey, siteCertificate: siteCertificate)
                .bytes
        }
    }

    /// Opens a new code, which stays open until it is used.
    func openCode() throws -> EnrolmentCode {
        let id = randomBytes(count: 8)
        let psk = HeldSecret(SecretBytes(randomCount: 32))
        codes[id] = psk
        return EnrolmentCode(
            try EnrolmentURI(
                authorityKey: authorityKey, boxKey: publicKey, codeID: id, psk: psk.bytes.copy(), boxID: boxID,
                user: Array("alice".utf8)))
    }

    // MARK: Links

    /// Closes all links, as if every phone went out of range.
    func closeLinks() async {
        for link in links { await link.close() }
    }

    /// Accepts a phone's connection.
    func accept() throws -> MemoryLink {
        let (phone, box) = MemoryLink.pair(
            identity: try identity, cutAfterSegments: cutAfterSegments, hasQuickCarrier: hasQuickCarrier,
            in: world)
        links.append(box)
        world.spawn { await self.serve(box) }
        return phone
    }

    private func serve(_ link: MemoryLink) async {
        let messages = MessageLink(link: link, clock: world, executor: world, messageLimit: 512)
        try? await converse(over: messages, on: link, identity: (try? identity) ?? [])
        await messages.close()
    }

    private func converse(over messages: MessageLink, on link: MemoryLink, identity: [UInt8]) async throws {
        let first = try FirstMessage(parsing: try await messages.receive(until: world.now() + .seconds(60)))
        let isQuick = await link.air.opened.last == .much
        let binding = isQuick ? MemoryLink.quickBinding : MemoryLink.slowBinding
        firstMessages += 1
        switch fault {
        case .silentHandshake: return try await world.sleep(until: world.now() + .seconds(3_600))
        case .refusesHandshake: return
        case .garbageMessage2: return try await messages.send(randomBytes(count: 48))
        default: break
        }
        let ready: ResponderReady<XChaChaPoly>
        var enrolling = false
        switch first {
        case .channel(let message1):
            let prologue = HandshakePrologue.channel(binding: binding, identity: identity)
            ready = try ResponderStart<XChaChaPoly>(prologue: prologue.bytes, staticKey: staticKey)
                .readMessage1(message1)
            let isKnown = devices.contains(ready.claimedRemoteStatic)
            guard isKnown || siteCertificate != nil else { return }
        case .enrol(let id, let message1):
            guard let psk = codes[id] else { return }
            let prologue = HandshakePrologue.enrol(binding: binding, identity: identity, codeID: id)
            ready = try ResponderStart<XChaChaPoly>(
                prologue: prologue.bytes, staticKey: staticKey, psk: psk.bytes
            ).readMessage1(message1)
            enrolling = true
        }
        let phone = ready.claimedRemoteStatic
        let step = try ready.writeMessage2(now: world.now())
        try await messages.send(step.message)
        let channel = FakeChannel(step.transport, over: messages, world: world)
        await messages.raiseMessageLimit(to: 65_536)
        try await answer(on: channel, phone: phone, enrolling: enrolling ? first : nil)
    }

    private func answer(on channel: FakeChannel, phone: [UInt8], enrolling: FirstMessage?) async throws {
        var asked: (commitment: [UInt8], nonce: [UInt8])?
        while true {
            let message = try await channel.receive()
            requests.append(message.request)
            if fault == .closesUnanswered { return }
            if fault == .garbageTransport { return try await channel.sendRaw(randomBytes(count: 40)) }
            if fault == .authenticNonsense { try await channel.seal(Array("hello?".utf8)) }
            switch message.request {
            case .hello(_, _, let grant):
                if let grant { shown.append(grant) }
                if let refusal = refusesGrants {
                    for said in refusal.first { try await channel.say(said) }
                    return try await channel.say(.result(message.id, refusal.code, .none))
                }
                try await channel.say(
                    .hello(message.id, version: MessageLimits.protocolVersion, capabilities: capabilities))
                if fault == .replaysAnswer { try await channel.repeatLast() }
            case .enrolment: try await channel.say(.enrolled(message.id, enrolResult))
            case .enrol(let request):
                if let refusal = refuses ?? refusesAfterConfirming {
                    if refusesAfterConfirming != nil { devices.insert(phone) }
                    return try await channel.say(.result(message.id, refusal, .none))
                }
                if fault == .skipsTheDigits { try await channel.say(.enrolled(message.id, enrolResult)) }
                let nonce = randomBytes(count: EnrolmentCommitment.nonceBytes)
                asked = (request.commitment, nonce)
                try await channel.say(.enrolNonce(message.id, nonce))
                if let refusal = refusesBeforeReveal {
                    return try await channel.say(.result(message.id, refusal, .none))
                }
            case .reveal(let nonce):
                let hash = await channel.handshakeHash
                guard let given = asked,
                    EnrolmentCommitment.holds(given.commitment, nonce: nonce, handshakeHash: hash)
                else { return try await channel.say(.result(message.id, .notAllowed, .none)) }
                digits.append(
                    EnrolmentCommitment.digits(handshakeHash: hash, phoneNonce: nonce, boxNonce: given.nonce))
                guard try await enrol(message.id, phone, on: channel, with: enrolling) else { return }
            default:
                if fault == .silentRequests { continue }
                for (after, say) in script(message) {
                    if after > .zero { try await world.sleep(until: world.now() + after) }
                    if fault == .losesAnswer { return }
                    try await channel.say(say)
                    if case .revoked = say { return }
                }
            }
        }
    }

    /// Returns false if the link must be closed.
    private func enrol(
        _ id: RequestID, _ phone: [UInt8], on channel: FakeChannel, with code: FirstMessage?
    ) async throws -> Bool {
        guard case .enrol(let codeID, _)? = code else { return false }
        guard let administrator else {
            try await channel.say(.enrolPending(id))
            return true
        }
        if administrator.after > .zero {
            try await channel.say(.enrolPending(id))
            try await world.sleep(until: world.now() + administrator.after)
        }
        guard administrator.accepts else {
            try await channel.say(.result(id, .notAllowed, .none))
            return false
        }
        devices.insert(phone)
        codes[codeID] = nil
        if fault == .losesAnswer { return false }
        try await channel.say(.enrolled(id, enrolResult))
        return true
    }
}

/// The box's end of a channel.
actor FakeChannel {
    private var transport: ChannelTransport<XChaChaPoly>
    private let messages: MessageLink
    private let world: VirtualWorld
    private var last: [UInt8] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { world.asUnownedSerialExecutor() }

    init(_ transport: consuming ChannelTransport<XChaChaPoly>, over messages: MessageLink, world: VirtualWorld) {
        self.transport = transport
        self.messages = messages
        self.world = world
    }

    var handshakeHash: [UInt8] { transport.handshakeHash }

    func receive() async throws -> PhoneRequestMessage {
        let sealed = try await messages.receive(until: world.now() + .seconds(7_200))
        let opened = try transport.open(sealed, now: world.now())
        return try opened.withBytes { try PhoneRequestMessage.decode($0) }
    }

    func say(_ message: BoxMessage) async throws {
        try await seal(
            try [UInt8].encoding(limit: 2 * MessageLimits.pingBytes) { bytes throws(WireError) in
                try message.encode(into: &bytes)
            })
    }

    func seal(_ body: [UInt8]) async throws {
        last = try transport.seal(body, now: world.now())
        try await messages.send(last)
    }

    func sendRaw(_ bytes: [UInt8]) async throws { try await messages.send(bytes) }
    func repeatLast() async throws { try await messages.send(last) }
}

/// A box that holds a password behind a PIN, with ten tries.
final class PINScript: Sendable {
    private let right: [UInt8]
    private let left = Mutex<UInt8>(10)

    init(right: String) {
        self.right = Array(right.utf8)
    }

    func answer(_ message: PhoneRequestMessage) -> [(after: Duration, say: BoxMessage)] {
        switch message.request {
        case .status:
            var state = BoxState.quiet
            state.pinAttemptsLeft = left.withLock { $0 }
            return [(.zero, .state(state)), (.zero, .result(message.id, .correct, .none))]
        case .loginWithPIN(let pin, _):
            let isRight = pin.array == right
            let left = left.withLock { left in
                left = isRight ? 10 : left - 1
                return left
            }
            if isRight { return [(.zero, .result(message.id, .correct, .none))] }
            if left == 0 { return [(.zero, .result(message.id, .wiped, .none))] }
            return [(.zero, .result(message.id, .pinWrong, ResultDetail(attemptsLeft: left)))]
        default: return [(.zero, .result(message.id, .badRequest, .none))]
        }
    }
}

extension HeldSecret {
    /// A copy to compare in tests.
    var array: [UInt8] {
        bytes.withBytes { $0.copy(0..<$0.byteCount) }
    }
}
