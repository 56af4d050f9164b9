import SiteLink
import SiteTrust
import VaultPort

extension BootClock {
    init?(_ kept: StoredBootClock) {
        self.init(boot: kept.boot, seconds: UInt64(clamping: kept.seconds))
    }

    var kept: StoredBootClock { StoredBootClock(boot: boot, seconds: Int64(clamping: seconds)) }
}

extension SiteTime.Record {
    var kept: StoredSiteTime { StoredSiteTime(seconds: Int64(clamping: seconds), clock: clock.kept) }
}

extension OfflineAllowance.Record {
    var kept: StoredSiteHours { StoredSiteHours(spent: Int64(spentHours), until: until.kept) }
}

extension SiteBoxCertificate {
    var kept: StoredSiteCertificate { StoredSiteCertificate(bytes: bytes, issuerKey: issuerKey) }
}

extension BoxSite {
    /// Restores the stored data of the site. The time that has passed since the data was stored counts only within the
    /// same boot.
    init(_ kept: StoredSite, now: BootClock) throws(SiteError) {
        var tally = SignatureTally()
        let pin = try SitePin(kept: kept.document, tally: &tally)
        var entries: [SiteTrust.Revocation] = []
        for bytes in kept.entries { entries.append(try SiteTrust.Revocation(kept: bytes)) }
        var head: RevocationHead?
        if let bytes = kept.head { head = try RevocationHead(kept: bytes) }
        var time = SiteTime()
        if let record = kept.time, let clock = BootClock(record.clock) {
            time = SiteTime(SiteTime.Record(seconds: UInt64(clamping: record.seconds), clock: clock), now: now)
        }
        var allowance = OfflineAllowance()
        if let hours = kept.hours, let until = BootClock(hours.until) {
            allowance = OfflineAllowance(OfflineAllowance.Record(spentHours: Int(clamping: hours.spent), until: until))
        }
        try self.init(pin: pin, revocations: entries, head: head, time: time, allowance: allowance)
    }
}
