import AuditLog
import SiteCore

/// A file that claims to be an exported audit log.
enum AuditExportFuzz {
    static let entry: FuzzEntry = { data, count in
        let bytes = input(data, count)
        var check = AuditExportCheck()
        do throws(AuditExportFault) {
            for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) { try check.take(Array(line)) }
            let summary = try check.finish()
            promise(summary.segments == 0 || summary.entries > 0, "a segment without entries")
        } catch {
            // Nearly every input is refused.
        }
        if let entry = AuditExport.entry(bytes) {
            promise(Array(AuditExport.line(entry).utf8) == bytes, "an entry with two texts")
        }
        return 0
    }
}

/// A file that claims to be an exported audit table of a site.
enum SiteAuditExportFuzz {
    static let entry: FuzzEntry = { data, count in
        let bytes = input(data, count)
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
        var check = SiteAuditExportCheck()
        var entries: UInt64 = 0
        do throws(SiteAuditExportCheck.Fault) {
            for line in lines {
                try check.take(line)
                if AuditExport.entry(line) != nil { entries += 1 }
            }
            promise(try check.finish().number == entries, "an export has more or fewer entries than lines of entries")
        } catch {
            // Nearly every input is refused.
        }
        for line in lines {
            guard let number = SiteAuditExport.entryNamed(line) else { continue }
            promise(line.starts(with: Array("names \(number) ".utf8)), "names of another entry")
        }
        return 0
    }
}
