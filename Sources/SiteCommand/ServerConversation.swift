import CommandTool
import ControlProtocol
import EventLoop
import Glibc
import SiteControl
import TextOutput
import Wire

/// One request to boxsited and its replies.
enum ServerConversation {
    private static let patience: Duration = .seconds(20)
    /// The user ID that stands for users of another user namespace.
    private static let overflowUser: UInt32 = 65_534

    /// Sends the request and passes on each reply with its bytes. Returns the text of the last reply.
    static func ask(
        _ request: SiteRequest, at path: String, each: @escaping @Sendable (SiteReply, RawSpan) -> Void = { _, _ in }
    ) throws(SiteCommandFailure) -> String {
        let outcome = Guarded<Result<String, SiteCommandFailure>>(.failure(SiteCommandFailure(.fault, "no answer")))
        let code = EpollLoop.runMain { loop in
            do throws(SiteCommandFailure) {
                let text = try await converse(request, path, loop, each)
                outcome.withLock { $0 = .success(text) }
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
            return 0
        }
        guard code == 0 else { throw SiteCommandFailure(.fault, "this program cannot wait for events") }
        return try outcome.withLock { $0 }.get()
    }

    private static func converse(
        _ request: SiteRequest, _ path: String, _ loop: EpollLoop,
        _ each: @escaping @Sendable (SiteReply, RawSpan) -> Void
    ) async throws(SiteCommandFailure) -> String {
        do {
            let connection = try await SeqPacketConnection.connect(to: path, on: loop, until: loop.now() + patience)
            try trust(connection.peer.userID, path)
            try await connection.send(try encoded(request), until: loop.now() + patience)
            var proposal: ProposalListing?
            while true {
                let reply = try await connection.withReceived(
                    limit: ControlLimits.messageBytes, until: loop.now() + patience
                ) { bytes in
                    let reply = try? SiteReply.decode(bytes)
                    if let reply { each(reply, bytes) }
                    return reply
                }
                switch reply {
                case .some(.some(.done(let text))):
                    if let proposal { throw waits(proposal) }
                    return Printable.text(text)
                case .some(.some(.proposal(let it))) where request != .proposals: proposal = it
                case .some(.some(.joinCode)): continue
                case .some(.some(.failure(let kind, let what, let cure))): throw failure(kind, what, cure)
                case .some(.some): continue
                case .some(.none):
                    throw SiteCommandFailure(
                        .protocolMismatch,
                        "the server's reply is not valid; install the same version of boxsite and boxsited")
                case .none: throw SiteCommandFailure(.unavailable, "boxsited has stopped; start it again")
                }
            }
        } catch let failure as SiteCommandFailure {
            throw failure
        } catch let error as SocketError {
            throw SiteCommandFailure(error == .timedOut ? .tryAgain : .unavailable, Printable.text("\(error)"))
        } catch {
            throw SiteCommandFailure(.invalid, Printable.text("\(error)"))
        }
    }

    /// Returns a failure that says that the order waits and was not performed.
    private static func waits(_ proposal: ProposalListing) -> SiteCommandFailure {
        let id = Printable.text(proposal.id)
        return SiteCommandFailure(
            .waiting,
            "to \(Printable.text(proposal.order)) needs a second administrator; until "
                + "\(Timestamp.local(proposal.expiry)), another one can run: boxsite approve \(id)")
    }

    private static func encoded(_ request: SiteRequest) throws(ControlMessageError) -> [UInt8] {
        try .encoding(limit: ControlLimits.messageBytes) { output throws(ControlMessageError) in
            try request.encode(into: &output)
        }
    }

    /// Checks the socket's user, because a foreign server would see the request and could answer with its own code.
    private static func trust(_ user: UInt32, _ path: String) throws(SiteCommandFailure) {
        let server = getpwnam("boxsite")?.pointee.pw_uid
        guard user != overflowUser, user == 0 || user == geteuid() || user == server else {
            throw SiteCommandFailure(
                .notPermitted,
                "\(Printable.text(path)) belongs to user \(user), not to boxsited; name another socket with --socket")
        }
    }

    private static func failure(_ kind: FailureKind, _ what: String, _ cure: String) -> SiteCommandFailure {
        let status: SiteExitStatus =
            switch kind {
            case .notPermitted: .notPermitted
            case .notFound, .declined: .negative
            case .invalid: .invalid
            case .busy, .timedOut: .tryAgain
            case .fault: .fault
            }
        return SiteCommandFailure(status, Printable.text(what + (cure.isEmpty ? "" : "; " + cure)))
    }
}
