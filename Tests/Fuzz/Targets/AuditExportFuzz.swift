import AuditLog

/// A file that somebody says is an exported audit log.
enum AuditExportFuzz {
    static let entry: FuzzEntry = { data, count in
        let bytes = input(data, count)
        var check = AuditExportCheck()
        do throws(AuditExportFault) {
            for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) { try check.take(Array(line)) }
            let summary = try check.finish()
            promise(summary.segments == 0 || summary.entries > 0, "a segment without entries")
        } catch {
            // Refused, as nearly everything is.
        }
        if let entry = AuditExport.entry(bytes) {
            promise(Array(AuditExport.line(entry).utf8) == bytes, "an entry with two texts")
        }
        return 0
    }
}
