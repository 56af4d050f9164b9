import SiteLink
import SiteTrust
import VaultPort

/// The result of checking a message of the site.
enum SiteTaking: Sendable {
    /// The box already has the data, or has no use for it.
    case nothing
    /// The data takes effect at once. `fresh` marks a fresh signed status.
    case counts(BoxSite, fresh: Bool)
    /// The data takes effect once it is written.
    case write(SiteWrite, SiteChange)
    /// The signed status with this number covers entries other than the box's.
    case differs(UInt64)
    case wantsEntries
    case refusesBox(SiteRefusal)
    /// The link ends because of an error, given in words.
    case refused(String)
}

extension SiteBelief {
    /// Checks a message without changing anything. At most 64 signatures are verified.
    func judge(_ message: MessageFromSite, _ box: SiteBox, at now: BootClock) -> SiteTaking {
        var tally = SignatureTally()
        do throws(SiteError) {
            switch message {
            case .certificate(let claimed):
                let new = try claimed.verify(
                    site.pin, boxKey: box.publicKey, at: site.seconds(at: now), tally: &tally)
                guard new != certificate else { return .nothing }
                // Write the hour of the offline allowance too, so that the disk is written once for both.
                let hours = site.allowance.running(at: now)
                var change = hours.map { hourWritten($0, at: now) } ?? SiteChange()
                change.certificate = new.kept
                return .write(SiteWrite(site: site, certificate: new, hours: hours), change)
            case .document(let claimed):
                return try take(claimed, &tally).map { .write($0.0, $0.1) } ?? .nothing
            case .entries(let entries): return try take(entries, &tally)
            case .head(let head): return try take(head, now, &tally)
            // Other types handle these messages: `SiteRenewals`, `SiteCarries`, `HeldRequests` and `SelfEnrolling`.
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

    /// Checks that the server belongs to this site. Returns the server's key, and a newer document to write first.
    ///
    /// A refused document changes nothing, and the pin decides about the certificate (docs/reference/site-protocol.md,
    /// Greeting). A server restored from a backup shows an older document, and must learn all that its boxes know.
    func judge(
        _ greeting: SiteGreeting, at now: BootClock
    ) throws(SiteError) -> (serverKey: [UInt8], newer: (SiteWrite, SiteChange)?) {
        var tally = SignatureTally()
        var newer: (SiteWrite, SiteChange)?
        var notTaken: SiteError?
        do throws(SiteError) {
            newer = try take(greeting.document, &tally)
        } catch {
            // Fail: the root has signed two different documents, and an administrator must investigate.
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

    /// Takes a document from any source, because only the root's signature counts. Returns nil if the document is the
    /// pinned one.
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
                // Skip entries that this box cannot verify. The signed status does not cover them, even if other boxes
                // have them.
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
            // The server lags behind the previous server.
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

    /// Returns the write for an hour without a fresh signed status, or for a new boot. Returns nil if none is due.
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
