import AgentClient
import CBoxLogin

/// The reason why a request to greetd failed.
struct GreetdError: Error, Equatable {
    let what: String
    let cure: String

    static let noSocket = GreetdError(
        what: "greetd's socket is not known", cure: "let greetd start this program: it sets GREETD_SOCK")
    static let closed = GreetdError(what: "greetd closed the connection", cure: "see journalctl -u greetd")
    static let silent = GreetdError(what: "greetd did not answer in time", cure: "see journalctl -u greetd")
    static let malformed = GreetdError(
        what: "greetd's reply is not valid", cure: "check that greetd has the version of greetd-ipc(7)")

    static func system(_ operation: String) -> GreetdError {
        // SAFETY: the text belongs to libc and is copied at once.
        GreetdError(
            what: "\(operation) failed for greetd's socket: \(String(cString: strerror(cboxlogin_errno())))",
            cure: "see systemctl status greetd")
    }
}

/// A blocking connection to greetd. Each JSON message follows its length in the machine's byte order.
struct GreetdSocket: ~Copyable {
    /// The time limit for a reply. PAM may query a directory over the network, and delays refusals.
    static let answerMilliseconds: Int32 = 120_000

    private let descriptor: Int32

    init(path: String?) throws(GreetdError) {
        guard let path, !path.isEmpty else { throw .noSocket }
        let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard made >= 0 else { throw .system("socket") }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            close(made)
            throw .noSocket
        }
        // SAFETY: the path and its NUL fit, as checked above.
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        // SAFETY: the address outlives the call that reads it, and has the given length.
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(made, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else {
            close(made)
            throw .system("connect")
        }
        descriptor = made
    }

    deinit {
        close(descriptor)
    }

    /// Sends a request and waits for the reply.
    borrowing func ask(_ request: GreetdRequest) throws(GreetdError) -> GreetdReply {
        let json = request.json
        // SAFETY: the span lives as long as its array.
        return try ask(json.span.bytes)
    }

    /// Sends a message that the caller wipes, and waits for the reply.
    borrowing func ask(_ json: RawSpan) throws(GreetdError) -> GreetdReply {
        var length = UInt32(json.byteCount)
        // SAFETY: both pointers are used only while their memory is lent.
        let head = withUnsafeBytes(of: &length) { writeAll($0) }
        guard head, json.withUnsafeBytes({ writeAll($0) }) else { throw .closed }
        let prefix = try readAll(MemoryLayout<UInt32>.size)
        // SAFETY: the array has as many bytes as the number.
        withUnsafeMutableBytes(of: &length) { $0.copyBytes(from: prefix) }
        guard length <= FlatJSON.limitBytes else { throw .malformed }
        let answer = try readAll(Int(length))
        do throws(FlatJSON.Malformed) {
            return try GreetdReply(answer)
        } catch {
            throw .malformed
        }
    }

    private borrowing func writeAll(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var done = 0
        while done < bytes.count {
            // SAFETY: `rest` is the part of `bytes` from `done` on.
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let sent = send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            guard sent > 0 || cboxlogin_errno() == EINTR else { return false }
            done += max(0, sent)
        }
        return true
    }

    private borrowing func readAll(_ count: Int) throws(GreetdError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, Self.answerMilliseconds)
            if ready < 0 && cboxlogin_errno() == EINTR { continue }
            guard ready > 0 else { throw .silent }
            var part = [UInt8](repeating: 0, count: count - bytes.count)
            let received = recv(descriptor, &part, part.count, 0)
            if received < 0 && cboxlogin_errno() == EINTR { continue }
            guard received > 0 else { throw .closed }
            bytes += part[..<received]
        }
        return bytes
    }
}
