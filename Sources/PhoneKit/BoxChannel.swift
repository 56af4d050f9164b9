import PhoneMessages
import Secrets
import SecureChannel
import Transport

/// An authenticated channel to a box: seals what the phone says, opens what the box says.
actor BoxChannel {
    /// What came, or why nothing did.
    enum Incoming: Sendable {
        case message(BoxMessage)
        /// An authentic message that is none of the protocol's.
        case unintelligible
        case timedOut
        /// The box closed the channel, the link broke, or somebody meddled with it.
        case ended
        case cancelled
    }

    private let messages: MessageLink
    private let clock: any LinkClock
    private let executor: any SerialExecutor
    private var transport: ChannelTransport<XChaChaPoly>

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(
        _ transport: consuming ChannelTransport<XChaChaPoly>, over messages: MessageLink, clock: any LinkClock,
        executor: any SerialExecutor
    ) {
        self.transport = transport
        self.messages = messages
        self.clock = clock
        self.executor = executor
    }

    /// Sends a request; false when the channel has ended.
    func send(_ message: PhoneRequestMessage) async -> Bool {
        do {
            let sealed = try transport.seal(try message.encoded(), now: clock.now())
            try await messages.send(sealed)
            return true
        } catch {
            return false
        }
    }

    /// The next message, at most until a time since boot.
    func receive(until deadline: Duration) async -> Incoming {
        let sealed: [UInt8]
        do throws(LinkError) {
            sealed = try await messages.receive(until: deadline)
        } catch .timedOut {
            return .timedOut
        } catch .cancelled {
            return .cancelled
        } catch {
            return .ended
        }
        let opened: SecretBytes
        do throws(ChannelError) {
            opened = try transport.open(sealed, now: clock.now())
        } catch {
            await messages.close()
            return .ended
        }
        guard let message = opened.withBytes({ try? BoxMessage.decode($0) }) else { return .unintelligible }
        return .message(message)
    }

    /// Says goodbye and ends the link.
    func close() async {
        if let goodbye = try? transport.sealClose() { try? await messages.send(goodbye) }
        await messages.close()
    }
}
