import ControlProtocol
import EventLoop
import Glibc
import PageCore
import SiteControl
import TextOutput
import Wire

/// A failed request to boxsited, ready to be shown.
struct DeskFailure: Error, Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        /// boxsited is not there, or does not answer.
        case away
        /// Too many requests wait at once.
        case busy
        /// boxsited refused the request.
        case refused(FailureKind)
    }

    let kind: Kind
    let what: String
    let cure: String
}

/// Sends requests to boxsited, each on its own connection, a few at once.
actor SiteDesk {
    private static let patience: Duration = .seconds(PageLimits.conversationSeconds)
    private let path: String
    let loop: EpollLoop
    private let free: WaitPoint
    private var taken = 0
    private var waiting = 0
    /// The newest answer of `sharedStatus`, and its time.
    var lastStatus: (SiteStatus, Duration)?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(path: String, loop: EpollLoop) {
        (self.path, self.loop) = (path, loop)
        free = WaitPoint(on: loop)
    }

    /// boxsited's replies without the last one, and the last one's text.
    struct Answer: Sendable {
        fileprivate(set) var replies: [SiteReply] = []
        fileprivate(set) var text = ""
        /// An enrolment code or a join code, which carries a secret. It is a string, which cannot be wiped, because
        /// HTML is made of strings.
        fileprivate(set) var code = ""
    }

    /// Sends a request on behalf of an administrator, and takes the first `limit` replies. Use `order` for a change
    /// that may need a second administrator.
    func ask(_ request: SiteRequest, as administrator: String, limit: Int = 1) async throws(DeskFailure) -> Answer {
        let envelope = SiteEnvelope(request, onBehalfOf: administrator)
        return try await ask(limit: limit) { output throws(ControlMessageError) in
            try envelope.encode(into: &output)
        }
    }

    /// Sends a request of the page itself.
    @discardableResult
    func ask(_ request: PageRequest) async throws(DeskFailure) -> Answer {
        try await ask(limit: 1) { output throws(ControlMessageError) in try request.encode(into: &output) }
    }

    private func ask(
        limit: Int, _ encode: (inout MutableRawSpan) throws(ControlMessageError) -> Int
    ) async throws(DeskFailure) -> Answer {
        let bytes: [UInt8]
        do {
            bytes = try .encoding(limit: ControlLimits.messageBytes, encode)
        } catch {
            throw DeskFailure(kind: .refused(.invalid), what: error.text, cure: "")
        }
        try await takePlace()
        defer {
            taken -= 1
            free.signal()
        }
        do {
            return try await converse(bytes, limit)
        } catch let failure as DeskFailure {
            throw failure
        } catch {
            throw DeskFailure(kind: .away, what: Printable.text("\(error)"), cure: "systemctl status boxsited")
        }
    }

    private func takePlace() async throws(DeskFailure) {
        let deadline = loop.now() + Self.patience
        guard waiting < PageLimits.waitingConversations else {
            throw DeskFailure(kind: .busy, what: "too many requests at once", cure: "try again in a moment")
        }
        waiting += 1
        defer { waiting -= 1 }
        while taken >= PageLimits.conversations {
            let mark = free.mark()
            guard await free.wait(since: mark, until: deadline) == .signalled else {
                throw DeskFailure(kind: .busy, what: "too many requests at once", cure: "try again in a moment")
            }
        }
        taken += 1
    }

    private func converse(_ request: [UInt8], _ limit: Int) async throws -> Answer {
        // The limit is for the whole conversation, so a server that sends slowly is cut off, too.
        let deadline = loop.now() + Self.patience
        let connection = try await SeqPacketConnection.connect(to: path, on: loop, until: deadline)
        do {
            let answer = try await converse(request, over: connection, until: deadline, limit)
            await connection.close()
            return answer
        } catch {
            await connection.close()
            throw error
        }
    }

    private func converse(
        _ request: [UInt8], over connection: SeqPacketConnection, until deadline: Duration, _ limit: Int
    ) async throws -> Answer {
        var answer = Answer()
        guard Self.isTrusted(connection.peer.userID) else {
            throw DeskFailure(
                kind: .away, what: "\(path) belongs to user \(connection.peer.userID), not to boxsite",
                cure: "nothing was sent; find out which program made this socket")
        }
        try await connection.send(request, until: deadline)
        while true {
            let received = try await connection.receive(limit: ControlLimits.messageBytes, until: deadline)
            guard let received else {
                throw DeskFailure(kind: .away, what: "boxsited ended the connection", cure: "journalctl -u boxsited")
            }
            let reply: SiteReply
            do {
                reply = try received.withRawSpan { input throws(ControlMessageError) in try SiteReply.decode(input) }
            } catch {
                throw DeskFailure(
                    kind: .away, what: "boxsited has another version",
                    cure: "install boxsite and boxsite-page of the same version")
            }
            switch reply {
            case .enrolmentCode(_, let range), .joinCode(_, let range):
                answer.code = String(decoding: received[range], as: UTF8.self)
            default: break
            }
            switch reply {
            case .done(let text):
                answer.text = text
                return answer
            case .failure(let kind, let what, let cure):
                throw DeskFailure(kind: .refused(kind), what: what, cure: cure)
            default:
                guard answer.replies.count < limit else { return answer }
                answer.replies.append(reply)
            }
        }
    }

    /// Returns whether the socket's owner may see the requests and answer them.
    private static func isTrusted(_ user: UInt32) -> Bool {
        user == 0 || user == geteuid() || user == getpwnam("boxsite")?.pointee.pw_uid
    }
}
