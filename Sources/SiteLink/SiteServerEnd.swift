import Secrets
import SecureChannel

/// An event of a server's end of a link.
public enum SiteServerEvent: Sendable, Equatable {
    /// Bytes for the box. Events are sent in order.
    case write([UInt8])
    /// The box has proved that it has this key (X25519, 32 bytes) and, for a join, the secret of this join code.
    case proved(boxKey: [UInt8], codeID: [UInt8]?)
    case said(MessageToSite)
    /// The link is over and must be closed.
    case ended(SiteLinkError)
}

/// The server's end of one link from a box: frames, handshake, channel and messages. Pure.
///
/// ```
/// opening ─first message─► half-open ─hello decrypts─► proved ─the site speaks─► open ─► over
/// ```
/// Before the first transport message decrypts, the server believes nothing and looks nothing up: message 1 may be a
/// replay. Anybody can make a key, so the server then looks up whether the key belongs to a box of the site. Until the
/// site has sent a message, any message after the hello ends the link. So an unknown box can send only a hello.
public final class SiteServerEnd {
    private enum Stage {
        case opening
        case halfOpen(boxKey: [UInt8], codeID: [UInt8]?)
        case proved
        case open
        case over
    }

    private let keys: SiteServerKeys
    private let greeting: [UInt8]
    private var frames = SiteFrames()
    private var stage = Stage.opening
    private var transport: ChannelTransport<XChaChaPoly>?
    private var upload = EntryUpload()
    /// The time at which the link ends: first the limit of the handshake, later that of the channel's age. A box may be
    /// silent until then. The kernel reports a lost box when the server sends a message to the box.
    public private(set) var deadline: Duration

    public init(_ keys: SiteServerKeys, greeting: SiteGreeting, now: Duration) {
        self.keys = keys
        self.greeting = greeting.bytes
        deadline = now + SiteLinkTimes.handshake
    }

    /// The first bytes for the box.
    public var opening: [UInt8] { SiteFrames.frame(greeting) }

    /// Takes received bytes and returns events. After `ended` it ignores all bytes.
    public func receive(_ bytes: [UInt8], now: Duration) -> [SiteServerEvent] {
        if case .over = stage { return [] }
        frames.add(bytes)
        var events: [SiteServerEvent] = []
        do throws(SiteLinkError) {
            while let message = try frames.next() { try take(message, now, &events) }
        } catch {
            end()
            events.append(.ended(error))
        }
        return events
    }

    /// Ends the link if its deadline has passed.
    public func timeHasCome(now: Duration) -> SiteServerEvent? {
        if case .over = stage { return nil }
        guard now >= deadline else { return nil }
        end()
        return .ended(.timedOut)
    }

    /// Returns the bytes that carry `message`, or nil if the channel is not open. The first message admits the box,
    /// which may then send. The exception is `refused`, after which you must call `close`.
    public func seal(_ message: MessageFromSite, now: Duration) -> [UInt8]? {
        switch stage {
        case .proved, .open: break
        case .opening, .halfOpen, .over: return nil
        }
        guard let sealed = seal(message, at: now) else { return nil }
        switch message {
        case .refused: stage = .proved
        case .wantEntries:
            upload.want()
            letIn()
        case .certificate, .entries, .head, .document, .servers, .grant, .carried, .carryEnded, .held,
            .selfEnrolment:
            letIn()
        }
        return SiteFrames.frame(sealed)
    }

    /// Encrypts a message. Avoids guarded memory for a message without a secret, which may go to thousands of boxes.
    private func seal(_ message: MessageFromSite, at now: Duration) -> [UInt8]? {
        switch message {
        case .held, .selfEnrolment: break
        default: return try? transport?.seal(message.bytes, now: now)
        }
        guard let content = message.encoded(from: keys.pool) else { return nil }
        return try? transport?.seal(content, now: now)
    }

    /// Returns the bytes that end the channel in order. Close the link once they are sent.
    public func close() -> [UInt8] {
        defer { end() }
        guard let sealed = try? transport?.sealClose() else { return [] }
        return SiteFrames.frame(sealed)
    }

    private func letIn() {
        stage = .open
        frames.raiseLimit()
    }

    private func end() {
        stage = .over
        frames.forget()
        transport = nil
    }

    private func take(_ message: [UInt8], _ now: Duration, _ events: inout [SiteServerEvent]) throws(SiteLinkError) {
        switch stage {
        case .opening: try answer(message, now, &events)
        case .halfOpen(let boxKey, let codeID):
            let first = try open(message, now)
            guard case .hello = first else { throw .protocolViolation }
            stage = .proved
            events += [.proved(boxKey: boxKey, codeID: codeID), .said(first)]
            deadline = now + SiteLinkTimes.handshake + SiteLinkTimes.longestUse
        case .open:
            let next = try open(message, now)
            try upload.check(next)
            events.append(.said(next))
        case .proved:
            // The box may already close in order, which throws `closedByPeer` here.
            _ = try open(message, now)
            throw .protocolViolation
        case .over: break
        }
    }

    private func answer(_ message: [UInt8], _ now: Duration, _ events: inout [SiteServerEvent]) throws(SiteLinkError) {
        do throws(HandshakeError) {
            let first = try FirstMessage(parsing: message)
            let ready: ResponderReady<XChaChaPoly>
            let codeID: [UInt8]?
            switch first {
            case .channel(let message1):
                codeID = nil
                ready = try ResponderStart(
                    prologue: SitePrologue.bytes(greeting: greeting, codeID: nil), staticKey: keys.staticKey,
                    pool: keys.pool
                ).readMessage1(message1)
            case .enrol(let id, let message1):
                codeID = id
                ready = try start(joining: id).readMessage1(message1)
            }
            let boxKey = ready.claimedRemoteStatic
            let step = try ready.writeMessage2(now: now)
            let reply = step.message
            keep(step.transport)
            stage = .halfOpen(boxKey: boxKey, codeID: codeID)
            events.append(.write(SiteFrames.frame(reply)))
        } catch {
            throw error == .wrongLength ? .wrongLength : .handshakeFailed
        }
    }

    private func start(joining codeID: [UInt8]) throws(HandshakeError) -> ResponderStart<XChaChaPoly> {
        do throws(SecretsError) {
            let psk = try keys.joinSecret(codeID: codeID)
            return try begin(codeID, psk)
        } catch {
            throw .authenticationFailed
        }
    }

    private func begin(
        _ codeID: [UInt8], _ psk: borrowing SecretBytes
    ) throws(SecretsError) -> ResponderStart<XChaChaPoly> {
        do throws(HandshakeError) {
            return try ResponderStart(
                prologue: SitePrologue.bytes(greeting: greeting, codeID: codeID), staticKey: keys.staticKey, psk: psk,
                pool: keys.pool)
        } catch {
            throw .authenticationFailed
        }
    }

    private func keep(_ opened: consuming ChannelTransport<XChaChaPoly>) {
        transport = consume opened
    }

    private func open(_ message: [UInt8], _ now: Duration) throws(SiteLinkError) -> MessageToSite {
        let plaintext: SecretBytes
        do throws(ChannelError) {
            guard let opened = try transport?.open(message, now: now) else { throw ChannelError.ended }
            plaintext = opened
        } catch {
            throw error == .closedByPeer ? .closedByPeer : .channelBroken
        }
        return try MessageToSite(parsing: plaintext.withBytes { [UInt8](copying: $0) })
    }
}
