import Secrets
import SecureChannel
import SiteTrust

/// An event of a box's end of a link.
public enum SiteBoxEvent: Sendable, Equatable {
    /// The server's claim of its identity. The link waits for `shake`, `join` or `close`.
    case greeted(SiteGreeting)
    /// The server has proved that it has the certified key.
    case established
    case said(MessageFromSite)
    /// The link is over and must be closed.
    case ended(SiteLinkError)
}

/// The box's end of one link to a server of its site. Pure. The caller holds the pin and verifies the greeting.
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
    /// The time by which the handshake, and later each message, must arrive.
    public private(set) var deadline: Duration
    private let pool: SecretArenaPool?

    /// - Parameter pool: Guarded memory for keys and decrypted messages. A box, which has one link, passes nil.
    public init(now: Duration, pool: SecretArenaPool? = nil) {
        self.pool = pool
        deadline = now + SiteLinkTimes.handshake
    }

    /// Takes received bytes and returns events. After `ended` it ignores all bytes.
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

    /// Ends the link if its deadline has passed.
    public func timeHasCome(now: Duration) -> SiteBoxEvent? {
        guard stage != .over, now >= deadline else { return nil }
        end()
        return .ended(.timedOut)
    }

    /// Begins the handshake with the server's verified key (32 bytes), and returns the bytes to send. Returns nil if no
    /// greeting waits. Also returns nil, and ends the link, if the key is of low order.
    public func shake(serverKey: [UInt8], staticKey: borrowing X25519KeyPair) -> [UInt8]? {
        guard case .deciding(let greeting) = stage else { return nil }
        let start = try? InitiatorStart<XChaChaPoly>(
            prologue: SitePrologue.bytes(greeting: greeting, codeID: nil), staticKey: staticKey,
            remoteStatic: serverKey, pool: pool)
        return send(start) { .channel(message1: $0) }
    }

    /// Begins the handshake of a join, with the code's id (8 bytes) and secret (32 bytes).
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

    /// Returns the bytes that carry `message`, or nil if the channel is not open.
    public func seal(_ message: MessageToSite, now: Duration) -> [UInt8]? {
        guard stage == .open, let sealed = try? transport?.seal(message.bytes, now: now) else { return nil }
        return SiteFrames.frame(sealed)
    }

    /// Returns the bytes that end the channel in order. Close the link once they are sent.
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
        // A server must not send anything before the box has answered.
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
