import Secrets
import SecureChannel
import SiteTrust

/// What a box's end of a link has to tell.
public enum SiteBoxEvent: Sendable, Equatable {
    /// Whom the server says that it is. The link waits until it is told to shake hands, or is closed.
    case greeted(SiteGreeting)
    /// The server has shown that it has the certified key.
    case established
    case said(MessageFromSite)
    /// Nothing comes any more. The link is to be closed.
    case ended(SiteLinkError)
}

/// The box's end of one link to a server of its site. Pure; the greeting is believed by whoever holds the pin.
///
/// ```
/// waiting ─greeting─► deciding ─shake─► shaking ─message 2─► open ─► over
/// ```
public final class SiteBoxEnd {
    private enum Stage: Equatable {
        case waiting
        case deciding(greeting: [UInt8])
        case shaking
        case open
        case over
    }

    private var frames = SiteFrames()
    private var stage = Stage.waiting
    private var awaiting: InitiatorAwaitingReply<XChaChaPoly>?
    private var transport: ChannelTransport<XChaChaPoly>?
    /// When the link ends, unless a message comes before.
    public private(set) var deadline: Duration
    private let pool: SecretArenaPool?

    /// - Parameter pool: Where keys and what is opened with them lie; nil: allocations of their own, for a box that has one link.
    public init(now: Duration, pool: SecretArenaPool? = nil) {
        self.pool = pool
        deadline = now + SiteLinkTimes.handshake
    }

    /// Bytes have come. After `ended` nothing is looked at any more.
    public func receive(_ bytes: [UInt8], now: Duration) -> [SiteBoxEvent] {
        guard stage != .over else { return [] }
        frames.add(bytes)
        var events: [SiteBoxEvent] = []
        do throws(SiteLinkError) {
            while stage != .over, let message = try frames.next() { events.append(try take(message, now)) }
        } catch {
            end()
            events.append(.ended(error))
        }
        return events
    }

    /// The time limit may have passed.
    public func timeHasCome(now: Duration) -> SiteBoxEvent? {
        guard stage != .over, now >= deadline else { return nil }
        end()
        return .ended(.timedOut)
    }

    /// Goes on with the server whose key (32 bytes) was believed: the bytes to send. Nil where no greeting waits, or the key is of
    /// low order: the link is over then.
    public func shake(serverKey: [UInt8], staticKey: borrowing X25519KeyPair) -> [UInt8]? {
        guard case .deciding(let greeting) = stage else { return nil }
        let start = try? InitiatorStart<XChaChaPoly>(
            prologue: SitePrologue.bytes(greeting: greeting, codeID: nil), staticKey: staticKey,
            remoteStatic: serverKey, pool: pool)
        return send(start) { .channel(message1: $0) }
    }

    /// The same to join, with the code's id (8 bytes) and secret (32 bytes).
    public func join(
        serverKey: [UInt8], staticKey: borrowing X25519KeyPair, codeID: [UInt8], secret: borrowing SecretBytes
    ) -> [UInt8]? {
        guard case .deciding(let greeting) = stage else { return nil }
        let start = try? InitiatorStart<XChaChaPoly>(
            prologue: SitePrologue.bytes(greeting: greeting, codeID: codeID), staticKey: staticKey,
            remoteStatic: serverKey, psk: secret, pool: pool)
        return send(start) { .enrol(codeID: codeID, message1: $0) }
    }

    private func send(
        _ start: consuming InitiatorStart<XChaChaPoly>?, _ first: ([UInt8]) -> FirstMessage
    ) -> [UInt8]? {
        guard let start, let step = try? start.writeMessage1() else {
            end()
            return nil
        }
        let message = step.message
        wait(step.next)
        stage = .shaking
        return SiteFrames.frame(first(message).bytes)
    }

    private func wait(_ next: consuming InitiatorAwaitingReply<XChaChaPoly>) {
        awaiting = consume next
    }

    /// The bytes that carry `message`; nil where there is no channel any more.
    public func seal(_ message: MessageToSite, now: Duration) -> [UInt8]? {
        guard stage == .open, let sealed = try? transport?.seal(message.bytes, now: now) else { return nil }
        return SiteFrames.frame(sealed)
    }

    /// The bytes that end the channel in order; the link is closed once they are sent.
    public func close() -> [UInt8] {
        defer { end() }
        guard let sealed = try? transport?.sealClose() else { return [] }
        return SiteFrames.frame(sealed)
    }

    private func end() {
        stage = .over
        frames.forget()
        awaiting = nil
        transport = nil
    }

    private func take(_ message: [UInt8], _ now: Duration) throws(SiteLinkError) -> SiteBoxEvent {
        switch stage {
        case .waiting:
            let greeting = try SiteGreeting(parsing: message)
            stage = .deciding(greeting: message)
            return .greeted(greeting)
        case .shaking:
            guard let waiting = awaiting.take(), let opened = try? waiting.readMessage2(message, now: now) else {
                throw .handshakeFailed
            }
            transport = consume opened
            frames.raiseLimit()
            stage = .open
            deadline = now + SiteLinkTimes.silence
            return .established
        case .open:
            let opened = try open(message, now)
            deadline = now + SiteLinkTimes.silence
            return .said(opened)
        // A server has nothing to say before it is asked.
        case .deciding, .over: throw .protocolViolation
        }
    }

    private func open(_ message: [UInt8], _ now: Duration) throws(SiteLinkError) -> MessageFromSite {
        let plaintext: SecretBytes
        do throws(ChannelError) {
            guard let opened = try transport?.open(message, now: now) else { throw ChannelError.ended }
            plaintext = opened
        } catch {
            throw error == .closedByPeer ? .closedByPeer : .channelBroken
        }
        return try MessageFromSite(opened: plaintext)
    }
}
