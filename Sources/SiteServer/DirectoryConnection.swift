import ControlProtocol
import EventLoop
import SiteControl
import SiteCore
import SiteStore

/// The connection of boxsite-directory, which gets names to look up and returns its findings.
struct DirectoryConnection: Sendable {
    /// The longest wait for a message. A page of 250 names is looked up 32 at a time, for at most 10 s each time.
    private static let patience: Duration = .seconds(120)
    /// How long the answer to `next` waits until a lookup is due.
    private static let idle: Duration = .seconds(10)

    let connection: SeqPacketConnection
    let server: SiteServer
    let desk: DirectoryDesk

    private var loop: EpollLoop { server.loop }

    func run() async {
        guard await desk.begin() else {
            await say(.failure(.busy, what: "another boxsite-directory is connected", cure: "stop one of them"))
            return await connection.close()
        }
        server.log.notice("boxsite-directory is connected")
        let why = await serve()
        server.log.warning("boxsite-directory is no longer connected: \(why)")
        await desk.end()
        await connection.close()
    }

    /// Serves until the connection ends. Returns the reason, which contains nothing that the peer said.
    private func serve() async -> String {
        var errand: DirectoryErrand?
        var answers: [DirectoryAnswer] = []
        while true {
            let request: DirectoryRequest
            do {
                let received = try await connection.receive(
                    limit: ControlLimits.messageBytes, until: loop.now() + Self.patience)
                guard let received else { return "it has closed the connection" }
                request = try DirectoryRequest.decode(received.span.bytes)
            } catch let error as ControlMessageError {
                return "it sent an invalid message: \(error.text)"
            } catch {
                return "\(error)"
            }
            switch request {
            case .next:
                (errand, answers) = (await next(), [])
                await tell(errand)
            case .found(let finding):
                guard let asked = errand else { continue }
                answers.append(answer(finding))
                guard answers.count == asked.names.count else { continue }
                errand = nil
                await heard(answers, to: asked)
            }
        }
    }

    private func tell(_ errand: DirectoryErrand?) async {
        if let errand {
            for name in desk.terms.groupNames { await say(.lookUp(DirectoryName(.group, name))) }
            for name in errand.names { await say(.lookUp(DirectoryName(.user, name))) }
        }
        await say(.done(text: ""))
    }

    /// Returns the next lookup, or nil if there is none for now.
    private func next() async -> DirectoryErrand? {
        let until = loop.now() + Self.idle
        while loop.now() < until {
            let mark = desk.changed.mark()
            do throws(SiteStoreError) {
                switch await desk.step() {
                case .look(let errand): return errand
                case .read(let row):
                    let page = try await server.store.directoryPage(after: row)
                    if let errand = await desk.errand(for: page) { return errand }
                    if page.isEmpty { try await end(desk.endRound()) }
                case .wait(let due):
                    guard await desk.changed.wait(since: mark, until: min(due, until)) != .cancelled else { return nil }
                }
            } catch {
                // Nothing is lost: the users are absent in the next rounds as well.
                server.log.error("users who left the directory could not be revoked: \(error)")
                await desk.giveUp("\(error)")
            }
        }
        return nil
    }

    /// Revokes the users who were found to have left in a round. Nobody is revoked while the server does not sign.
    private func end(_ leavers: [DirectoryLeaver]) async throws(SiteStoreError) {
        guard !leavers.isEmpty else { return }
        let issuing = await server.issuing
        if try await server.store.takeBack(leavers, desk.terms, issuing) {
            server.log.notice("users who left the directory: \(leavers.count)")
        } else {
            await desk.halt(leavers.filter { !$0.isAccepted })
            server.log.error("users who left the directory at once: \(leavers.count); none is revoked")
        }
        await server.refresh()
    }

    private func heard(_ answers: [DirectoryAnswer], to errand: DirectoryErrand) async {
        guard let (seen, moved) = await desk.hear(answers, to: errand) else {
            // For a round, report the reason each time.
            if !errand.members.isEmpty, let why = await desk.problem {
                server.log.error("the directory's answers are not used: \(why)")
            }
            return
        }
        await server.tried("record what the directory says") { store in
            if !seen.isEmpty { try await store.sawInDirectory(seen) }
            for (row, names) in moved { try await store.move(row, memberOf: names, desk.terms) }
        }
    }

    private func answer(_ finding: DirectoryFinding) -> DirectoryAnswer {
        let why = ControlLimits.cut(finding.why ?? "no reason given")
        switch finding.kind {
        case .there:
            let names = desk.terms.groupNames
            let groups = finding.groups.map { $0.filter { $0 < names.count }.map { names[Int($0)] } }
            return .there(groups: groups, name: finding.name)
        case .gone: return .gone
        case .notAllowed: return .notAllowed(why)
        case .unclear: return .unclear(why)
        }
    }

    private func say(_ reply: SiteReply) async { await connection.say(reply, on: loop) }
}
