import ControlProtocol
import EventLoop
import Secrets
import SiteControl
import SiteCore
import SiteLink
import SiteStore
import SiteTrust
import Wire

/// Answers one request of an administrator whose role allows it.
struct SiteControlConnection: Sendable {
    /// How long to wait for a command that does not read.
    static let patience = SeqPacketConnection.replyPatience
    /// How long the database may count users and phones.
    private static let countPatience: Duration = .seconds(2)

    let connection: SeqPacketConnection
    let server: SiteServer
    let addresses: [SiteAddress]
    /// The site page's origin for browsers. Nil without a page.
    let pageOrigin: String?
    /// The administrator who asks, as stored when the request came.
    let who: Administrator
    let actor: SiteStore.Actor

    var loop: EpollLoop { server.loop }

    /// Returns whether the right to `act` lets the administrator see a box, phone or code with these groups.
    func sees(_ groups: SiteGroups, _ act: AdministrativeAct) -> Bool {
        AdministratorPolicy.reach(of: who, act)?.sees(groups) ?? false
    }

    func answer(_ request: SiteRequest) async {
        do throws(SiteStoreError) {
            switch request {
            case .status: await sayStatus()
            case .addBox(let name, let number, let groups, let hours):
                guard try await addBox(name, number, groups, hours) else { return }
            case .boxes: try await listBoxes()
            case .removeBox(let name, let reason): return try await order(.removeBox(name: name), reason)
            case .unsuspendBox(let number, let reason):
                guard await isReason(reason) else { return }
                return await say(.done(text: try await unsuspend(number, reason)))
            case .acceptClock:
                // The act is recorded first. If that fails, the clock is not accepted.
                try await server.store.note("clock accept", by: actor, "")
                await server.acceptClock()
                await server.refresh()
            case .acceptDirectory(let reason): return try await acceptDirectory(reason)
            case .addPhone(let user, let code, let label, let groups, let siteHeld):
                guard let wish = await wish(user, code, label, groups, siteHeld),
                    let (terms, document) = await terms()
                else { return }
                await sayGrant(try await add(wish, of: user, terms), document)
            case .grantPhone(let phone):
                guard let (terms, document) = await terms(), let grant = try await grant(phone, terms) else { return }
                await sayGrant(grant, document)
            case .phones(let user): return try await listPhones(of: user)
            case .revokePhone(let phone, let reason): return try await order(.revokePhone(phone), reason)
            case .revokeUser(let name, let reason, let again):
                return try await order(.revokeUser(name: name, again: again), reason)
            case .whoAmI: await say(.administrator(listing(who)))
            case .administrators: try await listAdministrators()
            case .addAdministrator(let wish, let reason):
                guard let terms = await terms(wish) else { return }
                return try await order(.addAdministrator(terms), reason)
            case .changeAdministrator(let wish, let reason): return try await changeAdministrator(wish, reason)
            case .removeAdministrator(let name, let reason):
                return try await order(.removeAdministrator(name: name), reason)
            case .proposals: try await listProposals()
            case .approve(let id, let alone, let reason):
                guard await isReason(reason) else { return }
                let text = try await server.store.approve(
                    id, alone: alone, reason: reason, by: actor, await server.issuing)
                await server.refresh()
                return await say(.done(text: text))
            case .audit(let wish): try await listAudit(wish)
            case .checkAudit: return await say(.done(text: try await checkAudit()))
            case .exportAudit(let after): return try await exportAudit(after: after)
            case .reject(let id, let reason):
                guard await isReason(reason) else { return }
                return await say(
                    .done(text: try await server.store.reject(id, reason: reason, by: actor, await server.issuing)))
            case .document: try await sayDocument()
            case .newIssuers(let days, let replace):
                guard try await newIssuers(days: days, replacing: replace) else { return }
            case .publish(let text): return await say(try await publish(text))
            case .passkeyLink(let name): return try await sayLink(for: name)
            case .passkeys(let name): try await listPasskeys(of: name)
            case .removePasskeys(let name): return await say(.done(text: try await removePasskeys(of: name)))
            case .bulk(let wish): return try await bulk(wish)
            case .list(let wish): return try await listPart(wish)
            case .bundle(let box, let group): return try await sayBundle(box, group: group)
            case .enrolPhone, .enrolment, .confirmEnrolment, .cancelEnrolment: return try await enrol(request)
            }
            await say(.done(text: ""))
        } catch {
            if case .notAllowed = error { await server.refused(actor, request.act) }
            await say(Self.failure(error))
        }
    }

    static func failure(_ error: SiteStoreError) -> SiteReply {
        let kind: FailureKind =
            switch error {
            case .noSuchBox, .noWaitingBox, .noBulkCode, .noSuchUser, .noSuchPhone, .noSuchAdministrator,
                .noSuchProposal, .noSuchPasskey:
                .notFound
            case .notAllowed: .notPermitted
            case .notApproved, .passkeyCopied: .declined
            case .nameTaken, .numberTaken, .hasSite, .noSite, .manyPhones, .phoneOfOther, .phoneRevoked, .taken,
                .notSuspended,
                .noPasskeyCode, .enrolmentOver:
                .invalid
            case .refusedDocument, .revokedBoxes, .cannotSign, .tooManyEntries: .invalid
            case .database, .otherDocument, .manyEnrolments: .busy
            case .damaged, .signing, .clocks, .wrongClocks, .auditBroken, .noStandby: .fault
            }
        return .failure(kind, what: ControlLimits.cut("\(error)"), cure: "")
    }

    private func sayStatus() async {
        await say(.status(await status()))
        for alarm in await server.alarms() { await say(.alarm(text: ControlLimits.cut(alarm.text))) }
    }

    private func status() async -> SiteStatus {
        var status = await statusOfMachine()
        status.directory = await server.directory?.summary
        if let counts = try? await server.store.counts(by: loop.now() + Self.countPatience) {
            (status.users, status.phones) = (counts.users, counts.phones)
        }
        return status
    }

    private func statusOfMachine() async -> SiteStatus {
        await server.ask { machine, now in
            var status = SiteStatus()
            let facts = machine.pin.facts
            status.site = facts.site.bytes
            status.document = facts.version.value
            status.generation = facts.generation.value
            status.number = machine.number
            status.entries = UInt64(machine.entryCount)
            status.links = UInt64(machine.linkCount)
            status.headTime = machine.headTime
            // Take the latest expiry of each role, and of these times the earliest.
            status.issuersUntil =
                IssuerRole.allCases.map { role in
                    facts.issuers.filter { $0.role == role }.map(\.expiry).max() ?? 0
                }.min() ?? 0
            let health = ServerFigures(of: machine, now: now).health
            status.standby = health.standby.rawValue
            status.storedSeconds = health.storedSeconds
            status.doubt = machine.doubt(now: now).map { ControlLimits.cut($0) }
            return status
        }
    }

    /// Returns false after it has reported the problem.
    private func addBox(
        _ name: String, _ number: String?, _ groups: [UInt16], _ hours: UInt64
    ) async throws(SiteStoreError) -> Bool {
        let digits = number.map { Array($0.utf8) }
        guard SiteBox.isName(name) else {
            await say(
                .failure(
                    .invalid, what: "\(name) is not a valid name for a box",
                    cure: "use 1 to 64 letters, digits or punctuation characters, without spaces"))
            return false
        }
        guard digits.map({ $0.count == 6 && $0.allSatisfy { (0x30...0x39).contains($0) } }) ?? true else {
            await say(.failure(.invalid, what: "a box's number must have six digits", cure: "write it as 004711"))
            return false
        }
        guard let groups = SiteGroups(groups), hours > 0 else {
            await say(
                .failure(
                    .invalid, what: "groups or hours are invalid", cure: "name 1 to 8 groups from 1 to 65535, once")
            )
            return false
        }
        let codeID = randomBytes(count: 8)
        let box = try await server.store.addBox(
            name: name, number: digits, groups: groups, codeID: codeID, hours: hours, by: actor)
        await server.refresh()
        return await sayCode(codeID, number: box.number)
    }

    /// Sends the join code. Returns false after it has reported a problem, or if the client does not read.
    func sayCode(_ codeID: [UInt8], number digits: [UInt8]) async -> Bool {
        let rootKey = await server.ask { machine, _ in machine.pin.facts.rootKey }
        guard let secret = try? server.keys.joinSecret(codeID: codeID),
            let code = JoinCode(rootKey: rootKey, codeID: codeID, secret: secret, servers: addresses)
        else {
            await say(
                .failure(.fault, what: "the join code could not be created", cure: "remove the box, and add it again"))
            return false
        }
        let text = HeldSecret(code.format())
        let number = String(decoding: digits, as: UTF8.self)
        do throws(SocketError) {
            try await connection.send(limit: ControlLimits.messageBytes, until: loop.now() + Self.patience) { output in
                text.bytes.withBytes { bytes in
                    (try? SiteReply.encodeJoinCode(number: number, code: bytes, into: &output)) ?? -1
                }
            }
            return true
        } catch {
            return false
        }
    }

    private func listBoxes() async throws(SiteStoreError) {
        var last: Int64 = 0
        while true {
            let page = try await server.store.listedBoxes(after: last)
            guard let end = page.last else { return }
            await sayBoxes(page.filter { sees($0.box.groups, .seeBoxes) })
            last = end.box.id
        }
    }

    func listing(_ listed: ListedBox, _ contact: (BoxContact, Duration)?) -> BoxListing {
        let box = listed.box
        var listing = BoxListing()
        listing.seen = listed.seen
        listing.program = listed.program.isEmpty ? nil : listed.program
        listing.name = box.name
        listing.number = String(decoding: box.number, as: UTF8.self)
        listing.groups = box.groups.numbers
        listing.state = box.state.rawValue
        listing.key = box.key
        if let (contact, linked) = contact {
            listing.address = contact.address
            listing.program = String(decoding: contact.program, as: UTF8.self)
            listing.linkedSeconds = UInt64(clamping: linked.components.seconds)
            listing.took = contact.took
        }
        return listing
    }

    func say(_ reply: SiteReply) async { await connection.say(reply, on: loop) }
}
