import Secrets
import SecureChannel

/// A first message with changes. The box must accept only the message that the phone wrote.
enum HandshakeMessage1Fuzz {
    private static let channel = try? FuzzKeys.first(enrolling: false).bytes
    private static let enrolment = try? FuzzKeys.first(enrolling: true).bytes

    static let entry: FuzzEntry = { data, count in
        let bytes = input(data, count)
        guard let choice = bytes.first, let valid = choice & 1 == 0 ? channel : enrolment else { return 0 }
        let message = FuzzKeys.changed(valid, by: bytes.dropFirst())
        guard let first = try? FirstMessage(parsing: message) else { return 0 }
        promise(first.bytes == message, "a first message does not come out as it went in")
        do {
            let step = try FuzzKeys.box(first)
            // A box looks the code's id up before the handshake. Here, every id leads to the same code.
            let isUnchanged = message == valid || (message.first == 2 && message.dropFirst(9) == valid.dropFirst(9))
            promise(isUnchanged, "a changed first message was taken")
            promise(step.message.count == HandshakeSizes.message2, "message 2 has another length")
        } catch {
            promise(message != valid, "the phone's own first message was refused")
        }
        return 0
    }
}

/// Message 2 with changes. The phone must accept only the message that the box wrote.
enum HandshakeMessage2Fuzz {
    private static let channel = try? FuzzKeys.box(FuzzKeys.first(enrolling: false)).message
    private static let enrolment = try? FuzzKeys.box(FuzzKeys.first(enrolling: true)).message

    static let entry: FuzzEntry = { data, count in
        let bytes = input(data, count)
        guard let choice = bytes.first, let valid = choice & 1 == 0 ? channel : enrolment else { return 0 }
        let message = FuzzKeys.changed(valid, by: bytes.dropFirst())
        do {
            let step = try FuzzKeys.phone(enrolling: choice & 1 == 1)
            _ = try step.next.readMessage2(message, now: .zero)
            promise(message == valid, "a changed message 2 was taken")
        } catch {
            promise(message != valid, "the box's own message 2 was refused")
        }
        return 0
    }
}

/// A transport message with changes. The box must open the phone's message, and end the channel on any other.
enum ChannelFuzz {
    private static let body = [UInt8](repeating: 7, count: 20)

    static let entry: FuzzEntry = { data, count in
        let bytes = input(data, count)
        do {
            let first = try FuzzKeys.phone(enrolling: false)
            let message1 = first.message
            let reply = try FuzzKeys.box(.channel(message1: message1))
            let message2 = reply.message
            var box = reply.transport
            var phone = try first.next.readMessage2(message2, now: .zero)
            let valid = try phone.seal(body, now: .zero)
            let message = FuzzKeys.changed(valid, by: bytes[...])
            do throws(ChannelError) {
                let opened = try box.open(message, now: .zero)
                promise(message == valid && opened.count == body.count, "a changed message was opened")
            } catch {
                promise(message != valid, "the phone's own message was refused")
                promise(box.hasEnded, "a channel went on after a message that did not open")
            }
        } catch {
            promise(false, "the fixed keys make no channel")
        }
        return 0
    }
}
