import SiteLink
import SiteTrust
import VaultPort

/// What a message of the site is good for.
enum SiteTaking: Sendable {
    /// It is held already, or of no use here.
    case nothing
    /// It counts at once; `fresh`: a fresh head.
    case counts(BoxSite, fresh: Bool)
    /// It counts once it is written.
    case write(SiteWrite, SiteChange)
    /// The head of this number is of other entries.
    case differs(UInt64)
    case wantsEntries
    case refusesBox(SiteRefusal)
    /// The link ends: what is wrong, in words.
    case refused(String)
}

extension SiteBelief {
    /// Changes nothing. At most 64 signatures are looked at.
    func judge(_ message: MessageFromSite, _ box: SiteBox, at now: BootClock) -> SiteTaking {
        var tally = SignatureTally()
        do throws(SiteError) {
            switch message {
            case .certificate(let claimed):
                let new = try claimed.verify(
                    site.pin, boxKey: box.publicKey, at: site.seconds(at: now), tally: &tally)
                guard new != certificate else { return .nothing }
                // The hour goes with it: while links follow each other, the disk is written once for both.
                let hours = site.allowance.running(at: now)
                var change = hours.map { hourWritten($0, at: now) } ?? SiteChange()
                change.certificate = new.kept
                return .write(SiteWrite(site: site, certificate: new, hours: hours), change)
            case .document(let claimed):
                return try take(claimed, &tally).map { .write($0.0, $0.1) } ?? .nothing
            case .entries(let entries): return try take(entries, &tally)
            case .head(let head): return try take(head, now, &tally)
            // `SiteRenewals`, `SiteCarries` and `HeldRequests` have them.
            case .grant, .carried, .carryEnded, .held, .selfEnrolment: return .nothing
            case .wantEntries: return .wantsEntries
            case .refused(let refusal): return .refusesBox(refusal)
            case .servers(let servers):
                guard servers != self.servers else { return .nothing }
                var change = SiteChange()
                change.servers = servers.map(\.bytes)
                return .write(SiteWrite(site: site, servers: servers), change)
            }
        } catch {
            return .refused("\(Self.name(of: message)) \(error)")
        }
    }

    /// Whether the server is one of this site's: its key. A newer document comes with what has to be written first.
    ///
    /// A document that is not taken changes nothing, and the certificate decides by the pin (docs/reference/site-protocol.md, Greeting): a server
    /// whose database was restored from a backup shows an older one, and has to hear of all that its boxes know.
    func judge(
        _ greeting: SiteGreeting, at now: BootClock
    ) throws(SiteError) -> (serverKey: [UInt8], newer: (SiteWrite, SiteChange)?) {
        var tally = SignatureTally()
        var newer: (SiteWrite, SiteChange)?
        var notTaken: SiteError?
        do throws(SiteError) {
            newer = try take(greeting.document, &tally)
        } catch {
            // The root has signed twice: somebody has to look.
            if error == .contradictsPinned { throw error }
            notTaken = error
        }
        let believed = newer?.0.site ?? site
        do throws(SiteError) {
            let server = try greeting.certificate.verify(believed.pin, at: believed.seconds(at: now), tally: &tally)
            return (server.serverKey, newer)
        } catch {
            throw notTaken ?? error
        }
    }

    /// Nil: the document is the pinned one. Whoever shows it: only the root's signature counts.
    func take(
        _ document: ClaimedSiteDocument, _ tally: inout SignatureTally
    ) throws(SiteError) -> (SiteWrite, SiteChange)? {
        var new = site
        var change = SiteChange()
        switch try new.take(document, tally: &tally) {
        case .none: return nil
        case .newerVersion: break
        case .newGeneration: change.beginsGeneration = true
        }
        change.document = new.pin.bytes
        return (SiteWrite(site: new), change)
    }

    private func take(
        _ entries: [ClaimedRevocation], _ tally: inout SignatureTally
    ) throws(SiteError) -> SiteTaking {
        var new = site
        var change = SiteChange()
        for entry in entries {
            do throws(SiteError) {
                if try new.take(entry, tally: &tally) { change.added.append(entry.bytes) }
            } catch {
                // No head counts what this box cannot verify; the site's other boxes may hold it all the same.
                switch error {
                case .unknownIssuer, .wrongRole, .olderGeneration: continue
                default: throw error
                }
            }
        }
        guard !change.added.isEmpty else { return .nothing }
        var write = SiteWrite(site: new)
        write.hasEntries = true
        return .write(write, change)
    }

    private func take(
        _ head: ClaimedRevocationHead, _ now: BootClock, _ tally: inout SignatureTally
    ) throws(SiteError) -> SiteTaking {
        var new = site
        let effect: BoxSite.HeadEffect
        do throws(SiteError) {
            effect = try new.take(head, at: now, tally: &tally)
        } catch {
            switch error {
            case .setDiffers: return .differs(head.facts.number)
            // A server that lags behind the one before.
            case .olderNumber, .olderTime: return .nothing
            default: throw error
            }
        }
        guard effect != .none else { return .nothing }
        let isFresh = effect == .fresh
        let hours = new.allowance.due(at: now)
        let forgets = new.revocations.count < site.revocations.count
        guard forgets || hours != nil || writtenNumber != head.facts.number else {
            return .counts(new, fresh: isFresh)
        }
        var change = SiteChange()
        change.head = head.bytes
        change.hours = hours?.kept
        change.time = new.time.record(at: now)?.kept
        if forgets { change.dropped = site.revocations.subtracting(new.revocations).map(\.bytes) }
        return .write(SiteWrite(site: new, hours: hours, hasHead: true, isFresh: isFresh), change)
    }

    /// What an hour without a fresh head, or a boot, has to write; nil where nothing is due.
    func hourDue(at now: BootClock) -> (SiteWrite, SiteChange)? {
        site.allowance.due(at: now).map { (SiteWrite(site: site, hours: $0), hourWritten($0, at: now)) }
    }

    private func hourWritten(_ hours: OfflineAllowance.Record, at now: BootClock) -> SiteChange {
        var change = SiteChange()
        change.hours = hours.kept
        change.time = site.time.record(at: now)?.kept
        return change
    }

    static func name(of message: MessageFromSite) -> String {
        switch message {
        case .certificate: "the certificate for this box"
        case .entries: "a revocation entry"
        case .head: "a signed status"
        case .document: "the site document"
        case .grant: "a phone's grant"
        case .wantEntries, .refused, .servers, .carried, .carryEnded, .held, .selfEnrolment: "a message"
        }
    }
}
