import Secrets
import SecureChannel
import Transport
import Vault
import VaultPort

/// A channel to a box that has proved to be the box that is meant. The box may still not know this phone: that shows
/// when it answers, or does not.
struct ConnectedBox: Sendable {
    let box: KnownBox
    let link: any PhoneLink
    let channel: BoxChannel
    /// 32 bytes, the same on both sides.
    let handshakeHash: [UInt8]
}

/// Why a handshake came to nothing.
enum HandshakeFailure: Error, Equatable {
    /// The other side closed the link, answered with something else, or not in time.
    case refused
    case cancelled
    case vault(VaultError)
}

extension Phone {
    /// Finds the box and makes a channel, which will carry about so many bytes. A link that breaks is made anew, a bounded
    /// number of times; nothing but handshakes has been sent by then.
    func connect(
        to target: BoxTarget, _ interaction: PhoneInteraction, bytes: Int = 0
    ) async throws(PhoneError) -> ConnectedBox {
        var target = target
        var links = 0
        var handshakes = 0
        let patience = clock.now() + limits.reach
        while true {
            if links + handshakes > 0 {
                interaction.progress(.retrying(boxID: target.boxID))
                try await pause(limits.betweenAttempts * (1 << max(0, links - 1)))
            }
            let reached: ReachedBox
            do throws(PhoneError) {
                reached = try await reach(&target, bytes, interaction)
            } catch .unreachable(let id, let error) {
                links += 1
                guard links < limits.connectAttempts, clock.now() < patience else {
                    throw .unreachable(boxID: id, error)
                }
                continue
            }
            target = BoxTarget(reached.box)
            do throws(HandshakeFailure) {
                let connected = try await handshake(with: reached, .channel)
                interaction.progress(.connected(boxID: target.boxID))
                return connected
            } catch {
                switch error {
                case .cancelled: throw .cancelled
                case .vault(let error): throw .vault(error)
                case .refused:
                    handshakes += 1
                    guard handshakes < limits.handshakeAttempts else { throw .notAccepted(boxID: target.boxID) }
                }
            }
        }
    }

    /// What a handshake is for.
    enum HandshakeUse {
        case channel
        /// With a code's id and its one-time secret.
        case enrolment(codeID: [UInt8], psk: HeldSecret)

        func firstMessage(_ message1: [UInt8]) -> [UInt8] {
            switch self {
            case .channel: FirstMessage.channel(message1: message1).bytes
            case .enrolment(let codeID, _): FirstMessage.enrol(codeID: codeID, message1: message1).bytes
            }
        }
    }

    /// Message 1, message 2. The link is closed when it fails.
    func handshake(
        with reached: ReachedBox, _ use: HandshakeUse
    ) async throws(HandshakeFailure) -> ConnectedBox {
        let messages = MessageLink(
            link: reached.link, clock: clock, executor: executor as? any TaskExecutor,
            messageLimit: Self.unauthenticatedBytes)
        do throws(HandshakeFailure) {
            let transport = try await transport(over: messages, reached, use)
            await messages.raiseMessageLimit(to: ChannelMessage.messageBytesLimit)
            let hash = transport.handshakeHash
            let channel = BoxChannel(transport, over: messages, clock: clock, executor: executor)
            return ConnectedBox(box: reached.box, link: reached.link, channel: channel, handshakeHash: hash)
        } catch {
            await messages.close()
            throw error
        }
    }

    /// Before the box is authenticated, no message of it may be longer.
    private static let unauthenticatedBytes = 512

    private func transport(
        over messages: MessageLink, _ reached: ReachedBox, _ use: HandshakeUse
    ) async throws(HandshakeFailure) -> ChannelTransport<XChaChaPoly> {
        let start = try await begin(reached, use)
        do {
            let step = try start.writeMessage1()
            let sent = clock.now()
            try await messages.send(use.firstMessage(step.message))
            let reply = try await messages.receive(until: clock.now() + limits.handshake)
            choice.measured(clock.now() - sent, on: reached.link.bearer)
            return try step.next.readMessage2(reply, now: clock.now())
        } catch LinkError.cancelled {
            throw .cancelled
        } catch {
            throw .refused
        }
    }

    private func begin(
        _ reached: ReachedBox, _ use: HandshakeUse
    ) async throws(HandshakeFailure) -> InitiatorStart<XChaChaPoly> {
        let id = reached.box.id
        let stored: HeldSecret
        do throws(PhoneError) {
            stored = try await inVault { (vault) throws(VaultError) in try await vault.deviceKey(id) }
        } catch .vault(let error) {
            throw .vault(error)
        } catch {
            throw .refused
        }
        do {
            let key = try X25519KeyPair(privateKey: stored.bytes.copy())
            switch use {
            case .channel:
                let prologue = HandshakePrologue.channel(
                    bearer: reached.link.bearer.forPrologue, identity: reached.identity, psm: reached.link.psm)
                return try InitiatorStart(
                    prologue: prologue.bytes, staticKey: key, remoteStatic: reached.box.boxKey)
            case .enrolment(let codeID, let psk):
                let prologue = HandshakePrologue.enrol(
                    bearer: reached.link.bearer.forPrologue, identity: reached.identity, psm: reached.link.psm,
                    codeID: codeID)
                return try InitiatorStart(
                    prologue: prologue.bytes, staticKey: key, remoteStatic: reached.box.boxKey, psk: psk.bytes)
            }
        } catch {
            throw .refused
        }
    }
}

extension Bearer {
    fileprivate var forPrologue: HandshakePrologue.Bearer {
        switch self {
        case .gatt: .gatt
        case .l2cap: .l2cap
        }
    }
}
