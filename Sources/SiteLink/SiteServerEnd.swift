import Secrets
import SecureChannel

/// What a server's end of a link has to tell.
public enum SiteServerEvent: Sendable, Equatable {
    /// Bytes for the box, in this order.
    case write([UInt8])
    /// The box has shown that it has this key (X25519, 32 bytes); with the secret of that join code where there is one.
    case proved(boxKey: [UInt8], codeID: [UInt8]?)
    case said(MessageToSite)
    /// Nothing comes any more. The link is to be closed.
    case ended(SiteLinkError)
}

/// The server's end of one link from a box: frames below, handshake and channel in the middle, messages above. Pure.
///
/// ```
/// opening ─first message─► half-open ─hello decrypts─► proved ─the site speaks─► open ─► over
/// ```
/// Nothing is believed, and nothing is looked up, before the first transport message decrypts: message 1 may be a replay. And then
/// it is some key, which anybody can make: whether a box of the site has it, is looked up. Until the site has said something, a
/// message behind the hello ends the link, so that a stranger's messages reach nobody.
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
    /// When the link ends: a box that has not shown its key by then, and later the whole channel, whatever is said on it. A box
    /// may be silent for as long. That it is gone, the kernel says of what is sent to it.
    public private(set) var deadline: Duration

    public init(_ keys: SiteServerKeys, greeting: SiteGreeting, now: Duration) {
        self.keys = keys
        self.greeting = greeting.bytes
        deadline = now + SiteLinkTimes.handshake
    }

    /// What the box is sent first.
    public var opening: [UInt8] { SiteFrames.frame(greeting) }

    /// Bytes have come. After `ended` nothing is looked at any more.
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

    /// The time limit may have passed.
    public func timeHasCome(now: Duration) -> SiteServerEvent? {
        if case .over = stage { return nil }
        guard now >= deadline else { return nil }
        end()
        return .ended(.timedOut)
    }

    /// The bytes that carry `message`; nil where there is no channel any more. With the first one the box is let in and may speak,
    /// unless it is `refused`, which `close` follows.
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

    /// What carries no secret needs no guarded memory on its way: a site says it to thousands.
    private func seal(_ message: MessageFromSite, at now: Duration) -> [UInt8]? {
        switch message {
        case .held, .selfEnrolment: break
        default: return try? transport?.seal(message.bytes, now: now)
        }
        guard let content = message.encoded(from: keys.pool) else { return nil }
        return try? transport?.seal(content, now: now)
    }

    /// The bytes that end the channel in order; the link is closed once they are sent.
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
            // In order, the box may close already.
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
