import ControlProtocol
import EventLoop
import Glibc
import SiteControl
import SiteCore
import SiteLink
import SiteStore
import Wire

/// One connection to the control socket. It identifies the peer, checks the role and answers.
struct SiteControlPeer: Sendable {
    /// How long a command may send nothing.
    private static let patience: Duration = .seconds(30)

    let connection: SeqPacketConnection
    let server: SiteServer
    let addresses: [SiteAddress]
    let pageOrigin: String?
    /// The user that the site page runs as. Nil without a page.
    let pageUser: UInt32?
    /// The user that boxsite-directory runs as. Nil without a directory.
    let directoryUser: UInt32?

    private var loop: EpollLoop { server.loop }

    func run() async {
        if let desk = server.directory, directoryUser == uid {
            return await DirectoryConnection(connection: connection, server: server, desk: desk).run()
        }
        // The account is looked up once for each connection. The kernel gives the user ID, but its name takes a lookup.
        var account: String??
        while let bytes = try? await connection.receive(
            limit: ControlLimits.messageBytes, until: loop.now() + Self.patience)
        {
            if isPage, let request = try? PageRequest.decode(bytes.span.bytes) {
                await PageConnection(connection: connection, server: server).answer(request)
                continue
            }
            do throws(ControlMessageError) {
                let envelope = try SiteEnvelope.decode(bytes.span.bytes)
                if needsAccount(envelope), account == nil { account = .some(await accountName()) }
                await answer(envelope, account: account ?? nil)
            } catch {
                await connection.say(
                    .failure(.invalid, what: "\(error)", cure: "use boxsite of the same version"), on: loop)
            }
        }
        await connection.close()
    }

    private var uid: UInt32 { connection.peer.userID }
    private var isPage: Bool { pageUser == uid }
    /// Root and the server's own user have the keys and the database anyway.
    private var isRoot: Bool { uid == 0 || uid == geteuid() }

    private func needsAccount(_ envelope: SiteEnvelope) -> Bool {
        envelope.onBehalfOf == nil && !isPage && !isRoot
    }

    private func accountName() async -> String? {
        let uid = uid
        let name = try? await loop.offload { AccountName.find(uid: uid) }
        return (name ?? nil).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Returns the person who asks, as far as the kernel tells. Throws if the page asks without a name, or if another
    /// client gives a name.
    private func petitioner(_ envelope: SiteEnvelope, account: String?) throws(SiteStoreError) -> Petitioner {
        if let name = envelope.onBehalfOf {
            guard isPage else { throw .notAllowed("only the site's page may act for others; act for yourself") }
            guard SitePhone.isUserName(Array(name.utf8)) else { throw .notAllowed("the administrator's name is wrong") }
            return .page(name: name)
        }
        if isRoot { return .root }
        guard !isPage else { throw .notAllowed("the page may act only for administrators who have signed in") }
        return .account(account, uid: uid)
    }

    private func answer(_ envelope: SiteEnvelope, account: String?) async {
        let act = envelope.request.act
        var asker = SiteStore.Actor("uid \(uid)")
        do throws(SiteStoreError) {
            let petitioner = try petitioner(envelope, account: account)
            asker = SiteStore.Actor(stranger: petitioner)
            let who = try await server.store.administrator(petitioner)
            let actor = SiteStore.Actor(petitioner, who)
            asker = actor
            if let refusal = AdministratorPolicy.refusal(of: who, act) { throw .notAllowed(refusal) }
            let asked = SiteControlConnection(
                connection: connection, server: server, addresses: addresses, pageOrigin: pageOrigin, who: who,
                actor: actor)
            await asked.answer(envelope.request)
        } catch {
            if case .notAllowed = error { await server.refused(asker, act) }
            await connection.say(SiteControlConnection.failure(error), on: loop)
        }
    }
}

extension SeqPacketConnection {
    /// How long to wait for a command that does not read.
    static let replyPatience: Duration = .seconds(30)

    /// Sends a reply. A command that does not read is dropped.
    nonisolated func say(_ reply: SiteReply, on loop: EpollLoop) async {
        do {
            let bytes: [UInt8] = try .encoding(limit: ControlLimits.messageBytes) {
                output throws(ControlMessageError) in try reply.encode(into: &output)
            }
            try await send(bytes, until: loop.now() + Self.replyPatience)
        } catch {
            await close()
        }
    }
}
