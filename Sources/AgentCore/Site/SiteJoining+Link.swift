import SiteLink
import SiteTrust
import TextOutput
import VaultPort

/// The link of a box that joins a site. It asks one server after the other, until one certifies the box.
extension SiteJoining {
    /// Handles an event of the link. Returns the problem if joining has failed.
    mutating func heard(_ event: SiteLinkEvent, _ tools: inout SiteTools, _ out: inout Output) -> Problem? {
        switch event {
        case .greeted(let greeting): take(greeting, &tools, &out)
        case .established: established(&tools, &out)
        case .said(let message): take(message, &tools, &out)
        case .ended(let failure, _): lost(failure, &tools, &out)
        }
        return goOn(&tools, &out)
    }

    /// Handles the time limits. Returns the problem if joining has failed.
    mutating func timeHasCome(_ tools: inout SiteTools, _ out: inout Output) -> Problem? {
        if certificate == nil, until <= out.time {
            let what = problem.map { ": \($0.what)" } ?? ": the server did not answer"
            let cure = problem?.cure ?? "try again in a minute"
            return Problem(kind: .timedOut, what: "the box did not join the site in time" + what, cure: cure)
        }
        return goOn(&tools, &out)
    }

    /// Tries the next server if none is being asked. Returns the problem if no server can help.
    mutating func goOn(_ tools: inout SiteTools, _ out: inout Output) -> Problem? {
        // While the certificate is being written, that write decides the result.
        guard certificate == nil else { return nil }
        guard case .idle(let until) = link else { return nil }
        let left = wish.servers.filter { !hopeless.contains($0) }
        if left.isEmpty { return problem ?? Problem(kind: .fault, what: "no server is left to ask", cure: "") }
        if until <= out.time, let new = tools.connect(toOneOf: left, &out) {
            link = new
            tell("asking the server \(new.address?.text ?? "")", &out)
        }
        return nil
    }

    /// Reports a stage to the command, but only the first time.
    private mutating func tell(_ text: String, _ out: inout Output) {
        guard told.count < Self.stageLimit, told.insert(text).inserted else { return }
        out.emit(.tellControl(control, .joinStage(text: text)))
    }

    // MARK: - Events of the link

    private mutating func take(_ greeting: SiteGreeting, _ tools: inout SiteTools, _ out: inout Output) {
        guard case .connecting(let id, let address) = link else { return }
        var tally = SignatureTally()
        do throws(SiteError) {
            let pin = try SitePin(root: wish.rootKey, document: greeting.document, tally: &tally)
            let server = try greeting.certificate.verify(pin, at: nil, tally: &tally)
            self.pin = pin
            link = .shaking(id, address)
            let order: SiteLinkOrder =
                isKnown
                ? .shake(serverKey: server.serverKey)
                : .join(serverKey: server.serverKey, codeID: wish.codeID, wish.secret)
            out.emit(.site(id, order))
            tell("the server belongs to site \(Hex.text(pin.site.bytes))", &out)
        } catch {
            isHopeless(Self.notOfSite(address, error), &tools, &out)
        }
    }

    private mutating func established(_ tools: inout SiteTools, _ out: inout Output) {
        guard case .shaking(let id, let address) = link, let pin = pin else { return }
        link = tools.opened(id, address, knowing: nil, at: out.time)
        let hello = try? SiteHello(
            document: pin.facts.version, generation: pin.facts.generation, number: 0, time: 0,
            program: tools.box.program)
        if let hello { out.emit(.site(id, .say([.hello(hello)]))) }
        tell("waiting for this box's certificate", &out)
    }

    private mutating func take(_ message: MessageFromSite, _ tools: inout SiteTools, _ out: inout Output) {
        guard let link = link.opened, let pin = pin else { return }
        switch message {
        case .refused(let refusal): refused(refusal, link.address, &tools, &out)
        case .certificate(let claimed) where certificate == nil:
            var tally = SignatureTally()
            do throws(SiteError) {
                let certificate = try claimed.verify(pin, boxKey: tools.box.publicKey, at: nil, tally: &tally)
                self.certificate = certificate
                let site = StoredSite(
                    document: pin.bytes, certificate: certificate.kept, servers: wish.servers.map(\.bytes))
                tools.ask(.join, .joinSite(site), &out)
            } catch {
                isHopeless(Self.notCertified(error), &tools, &out)
            }
        // Keep these messages until the box is a member.
        case .certificate, .entries, .head, .document, .wantEntries, .servers, .grant, .carried, .carryEnded,
            .held, .selfEnrolment:
            if !inbox.add(.message(message)) { retry(&tools, &out) }
        }
    }

    private mutating func refused(
        _ refusal: SiteRefusal, _ address: SiteAddress, _ tools: inout SiteTools, _ out: inout Output
    ) {
        switch refusal {
        case .alreadyJoined where !isKnown:
            isKnown = true
            retry(&tools, &out)
        case .notNow:
            problem = .init(kind: .busy, what: refusal.text, cure: "")
            retry(&tools, &out)
        case .waiting:
            hopeless = Set(wish.servers)
            let fingerprint = BoxFingerprint(of: tools.box.publicKey).text
            isHopeless(
                .init(kind: .busy, what: "\(refusal.text); its fingerprint is \(fingerprint)", cure: ""), &tools, &out)
        case .unknownBox, .removed, .suspended, .codeUsed, .codeExpired, .alreadyJoined:
            hopeless = Set(wish.servers)
            isHopeless(.init(kind: .declined, what: refusal.text, cure: ""), &tools, &out)
        }
    }

    // MARK: - Failures

    private mutating func lost(_ failure: SiteLinkFailure, _ tools: inout SiteTools, _ out: inout Output) {
        guard let address = link.address else { return }
        switch (link, failure) {
        // These failures mean a wrong code: a client without the code's secret gets no other answer.
        case (.shaking, .dropped), (.shaking, .broken(.handshakeFailed)), (.shaking, .broken(.closedByPeer)):
            problem = Self.wrongCode(address)
            hopeless.insert(address)
        case (_, .broken(.unknownVersion)):
            problem = .init(kind: .invalid, what: "the server \(address.text): \(failure)", cure: "")
            hopeless.insert(address)
        // A retry cannot help until this machine is changed.
        case (_, .forbidden(let why)):
            problem = Self.unreachable(address, why)
            hopeless.insert(address)
        default:
            problem = Self.unreachable(address, "\(failure)")
            tell("\(address.text): \(failure); trying again", &out)
        }
        link = .idle(until: out.time + min(pause.afterFailure(&tools.jitter), Self.longestPause))
        inbox.clear()
    }

    private mutating func isHopeless(
        _ problem: SiteJoining.Problem, _ tools: inout SiteTools, _ out: inout Output
    ) {
        self.problem = problem
        if let address = link.address { hopeless.insert(address) }
        tools.close(link, &out)
        link = .idle(until: out.time)
        inbox.clear()
    }

    private mutating func retry(_ tools: inout SiteTools, _ out: inout Output) {
        tools.close(link, &out)
        link = .idle(until: out.time + Self.pause)
        inbox.clear()
    }
}
