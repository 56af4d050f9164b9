import SecureChannel
import Transport
import Vault
import VaultPort

/// A link to a box whose certificate is the right one. Whether it also has the key shows in the handshake.
struct ReachedBox: Sendable {
    let box: KnownBox
    let link: any PhoneLink
    /// The identity characteristic, byte for byte: the handshake covers it.
    let identity: [UInt8]
}

extension Phone {
    /// Finds the box that is meant among those that show its digits, and passes by all others.
    /// Whom the person chose among several is all that `target` means from then on: tried again, no namesake takes its place.
    func reach(
        _ target: inout BoxTarget, _ bytes: Int, _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> ReachedBox {
        interaction.progress(.searching(boxID: target.boxID))
        guard let only = target.candidates.first, target.candidates.count == 1 else {
            return try await reachOneOfSeveral(&target, bytes, interaction)
        }
        var search = BoxSearch(boxID: target.boxID, until: clock.now() + limits.scan)
        while let advertisement = try await next(&search) {
            interaction.progress(.connecting(boxID: target.boxID))
            do throws(ReachFailure) {
                return try await reach(only, at: advertisement, bytes, interaction)
            } catch {
                if case .cancelled = error { throw .cancelled }
                search.passBy(advertisement, error, now: clock.now())
                if case .identity(let problem) = error {
                    interaction.progress(.passedBy(boxID: target.boxID, problem))
                }
            }
        }
        throw search.failure
    }

    /// Listens for the whole time and asks, when more than one of the trusted boxes is there.
    private func reachOneOfSeveral(
        _ target: inout BoxTarget, _ bytes: Int, _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> ReachedBox {
        var search = BoxSearch(boxID: target.boxID, until: clock.now() + limits.scan)
        var present: [(box: KnownBox, advertisement: Advertisement)] = []
        for advertisement in try await hear(for: limits.scan) where advertisement.boxID == target.boxID {
            do throws(ReachFailure) {
                let (box, link) = try await recognise(target.candidates, at: advertisement)
                await link.close()
                present.append((box, advertisement))
            } catch {
                if case .cancelled = error { throw .cancelled }
                search.passBy(advertisement, error, now: clock.now())
            }
        }
        guard let first = present.first else { throw search.failure }
        let boxes = present.map(\.box)
        var chosen = first
        if present.count > 1 {
            let answer = await interaction.chooseBox(boxes)
            guard let choice = present.first(where: { $0.box.id == answer?.id }) else {
                throw .sameDigits(boxID: target.boxID, names: boxes.map { $0.name(among: boxes) })
            }
            chosen = choice
            target = BoxTarget(choice.box)
        }
        interaction.progress(.connecting(boxID: target.boxID))
        do throws(ReachFailure) {
            return try await reach(chosen.box, at: chosen.advertisement, bytes, interaction)
        } catch {
            if case .cancelled = error { throw .cancelled }
            search.passBy(chosen.advertisement, error, now: clock.now())
            throw search.failure
        }
    }

    private func reach(
        _ known: KnownBox, at advertisement: Advertisement, _ bytes: Int, _ interaction: PhoneInteraction
    ) async throws(ReachFailure) -> ReachedBox {
        var box = known
        let (link, identity) = try await identify(advertisement)
        do throws(IdentityProblem) {
            box = await updated(box, by: try box.expectedIdentity.check(identity))
        } catch {
            await link.close()
            throw .identity(error)
        }
        do throws(LinkError) {
            let carrier = try await carrier(of: link, for: bytes, boxID: box.digits, interaction)
            return ReachedBox(box: box, link: carrier, identity: identity)
        } catch {
            throw error == .cancelled ? .cancelled : .link(error)
        }
    }

    /// What the phone knows of a box after it has shown this certificate of its own. What cannot be written down changes
    /// nothing for this time either: the box is as good as it was.
    func updated(_ box: KnownBox, by certificate: BoxCertificate) async -> KnownBox {
        guard certificate.serial > box.highestSerial else { return box }
        let written = try? await inVault { (vault) throws(VaultError) in
            try await vault.raiseSerial(box.id, to: certificate.serial, boxID: certificate.boxID)
            return try await vault.box(box.id)
        }
        return written.flatMap { $0 } ?? box
    }

    /// Which of `boxes` an advertiser is.
    func recognise(
        _ boxes: [KnownBox], at advertisement: Advertisement
    ) async throws(ReachFailure) -> (box: KnownBox, link: any CentralLink) {
        let (link, identity) = try await identify(advertisement)
        var nearest = IdentityProblem.otherAuthority
        for box in boxes {
            do throws(IdentityProblem) {
                let certificate = try box.expectedIdentity.check(identity)
                return (await updated(box, by: certificate), link)
            } catch .otherAuthority {
                continue
            } catch {
                nearest = error
            }
        }
        await link.close()
        throw .identity(nearest)
    }

    /// Connects and reads who it is. The link takes segments once it has a `carrier`.
    func identify(
        _ advertisement: Advertisement
    ) async throws(ReachFailure) -> (link: any CentralLink, identity: [UInt8]) {
        do throws(LinkError) {
            let link = try await connect(to: advertisement.address)
            let identity = try await limited(link, limits.identity) { (link) throws(LinkError) in
                try await link.readIdentity()
            }
            return (link, identity)
        } catch {
            throw error == .cancelled ? .cancelled : .link(error)
        }
    }

    private func connect(to address: String) async throws(LinkError) -> any CentralLink {
        let radio = radio
        let attempt = start { () async -> Result<any CentralLink, LinkError> in
            do throws(LinkError) {
                return .success(try await radio.connect(to: address))
            } catch {
                return .failure(error)
            }
        }
        let watchdog = after(clock.now() + limits.connect) { attempt.cancel() }
        defer { watchdog.cancel() }
        let result = await withTaskCancellationHandler {
            await attempt.value
        } onCancel: {
            attempt.cancel()
        }
        if case .failure(.cancelled) = result, !Task.isCancelled { throw .timedOut }
        return try result.get()
    }

    /// Does something with a link, which is closed when it fails or takes too long.
    func limited<Result: Sendable>(
        _ link: any CentralLink, _ limit: Duration,
        _ body: (any CentralLink) async throws(LinkError) -> Result
    ) async throws(LinkError) -> Result {
        let deadline = clock.now() + limit
        let watchdog = after(deadline) { await link.close() }
        defer { watchdog.cancel() }
        do throws(LinkError) {
            return try await body(link)
        } catch {
            await link.close()
            throw error == .closed && clock.now() >= deadline ? .timedOut : error
        }
    }

    // MARK: Listening

    /// The next advertiser of the digits that was not passed by; nil when time is up.
    func next(_ search: inout BoxSearch) async throws(PhoneError) -> Advertisement? {
        let left = search.deadline - clock.now()
        guard left > .zero, search.mayTryMore else { return nil }
        let heard = HeardBoxes(limit: limits.seenBoxes, executor: executor)
        let current = search
        try await scan(for: left) { advertisement in
            guard current.isCandidate(advertisement) else { return false }
            return await heard.add(advertisement)
        }
        return await heard.all.first
    }

    /// Everybody who is heard during a time, each once.
    func hear(for duration: Duration) async throws(PhoneError) -> [Advertisement] {
        let heard = HeardBoxes(limit: limits.seenBoxes, executor: executor)
        try await scan(for: duration) { advertisement in
            _ = await heard.add(advertisement)
            return false
        }
        return await heard.all
    }

    private func scan(
        for duration: Duration, _ found: @escaping @Sendable (Advertisement) async -> Bool
    ) async throws(PhoneError) {
        do throws(LinkError) {
            try await radio.scan(for: duration, found: found)
        } catch .cancelled {
            throw .cancelled
        } catch .timedOut, .notFound {
            return
        } catch {
            throw .radio(error)
        }
    }
}

/// Why an advertiser was passed by.
enum ReachFailure: Error, Equatable {
    case identity(IdentityProblem)
    case link(LinkError)
    case cancelled
}

extension KnownBox {
    var expectedIdentity: ExpectedIdentity {
        ExpectedIdentity(
            boxID: boxID, boxKey: boxKey, authorityKey: authorityKey, lowestSerial: highestSerial,
            mayHaveNewDigits: true)
    }
}

/// What a search heard, each address once, at most so many.
private actor HeardBoxes {
    private(set) var all: [Advertisement] = []
    private let limit: Int
    private let executor: any SerialExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(limit: Int, executor: any SerialExecutor) {
        self.limit = limit
        self.executor = executor
    }

    /// Whether it is new.
    func add(_ advertisement: Advertisement) -> Bool {
        guard all.count < limit, all.allSatisfy({ $0.address != advertisement.address }) else { return false }
        all.append(advertisement)
        return true
    }
}
