import Secrets

/// The fault of an exported file.
public enum AuditExportFault: Error, Equatable, Sendable {
    /// The line is not valid, or it stands in the wrong place.
    case unreadable(line: UInt64)
    /// The entry, or the segment around it, differs from the signed data.
    case broken(line: UInt64)
    /// The file ends before its last line.
    case cutOff
}

/// The summary of a complete export. The caller decides whose signature it trusts.
public struct AuditExportSummary: Equatable, Sendable {
    /// The public key that signed, 32 bytes.
    public let authority: [UInt8]
    /// The box's public key, 32 bytes.
    public let box: [UInt8]
    public let segments: UInt64
    /// The last entry before the export.
    public let base: AuditHead
    public let head: AuditHead

    public var entries: UInt64 { head.number - base.number }
}

/// Reads an export line by line, and checks chain and signatures. Keeps one segment's head in memory, but no entries.
public struct AuditExportCheck: Sendable {
    /// The expected line. In `between`, a segment or the end may follow. In `inside`, an entry or the segment's head
    /// may follow.
    private enum Place {
        case title, authority, box, between, inside, over
    }

    /// The data in a segment's first line, before head and signature are known.
    private struct Opening {
        var number: UInt64
        var previous: AuditHead
        var last: UInt64
        var fromSeconds: Int64
        var toSeconds: Int64
    }

    private var place = Place.title
    private var line: UInt64 = 0
    private var authority: [UInt8] = []
    private var box: [UInt8] = []
    private var segments: UInt64 = 0
    private var base: AuditHead?
    private var nextSegment: UInt64?
    private var opening: Opening?
    private var walk = AuditWalk(after: .start)

    public init() {}

    /// Takes one line, without its line break.
    public mutating func take(_ text: [UInt8]) throws(AuditExportFault) {
        line += 1
        guard text.count <= AuditExport.lineBytes else { throw .unreadable(line: line) }
        let words = text.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        let first = words.first.map { String(decoding: $0, as: UTF8.self) }
        switch (place, first) {
        case (.title, _):
            guard text == Array(AuditExport.title.utf8) else { throw .unreadable(line: line) }
            place = .authority
        case (.authority, "authority"):
            authority = try key(words)
            place = .box
        case (.box, "box"):
            box = try key(words)
            place = .between
        case (.between, "segment"): try open(words)
        case (.inside, "entry"): try enter(words)
        case (.inside, "head"): try close(words)
        case (.between, "end"):
            guard words.count == 2, number(words[1]) == segments else { throw .unreadable(line: line) }
            place = .over
        default: throw .unreadable(line: line)
        }
    }

    /// Returns the summary after the last line. Throws `cutOff` if that line has not come.
    public func finish() throws(AuditExportFault) -> AuditExportSummary {
        guard place == .over else { throw .cutOff }
        return AuditExportSummary(
            authority: authority, box: box, segments: segments, base: base ?? .start, head: walk.head)
    }

    // MARK: - Lines

    private func key(_ words: [ArraySlice<UInt8>]) throws(AuditExportFault) -> [UInt8] {
        guard words.count == 2, let key = Hexadecimal.bytes(Array(words[1]), count: 32) else {
            throw .unreadable(line: line)
        }
        return key
    }

    /// `segment N entries FIRST LAST times FROM TO after HASH`
    private mutating func open(_ words: [ArraySlice<UInt8>]) throws(AuditExportFault) {
        guard words.count == 10, says(words[2], "entries"), says(words[5], "times"), says(words[8], "after"),
            let number = number(words[1]), let first = self.number(words[3]), let end = self.number(words[4]),
            let from = time(words[6]), let to = time(words[7]),
            let hash = Hexadecimal.bytes(Array(words[9]), count: SHA256.digestBytes), first > 0, end >= first
        else { throw .unreadable(line: line) }
        let before = AuditHead(number: first - 1, hash: hash)
        // An export may begin at any segment, since earlier ones may be pruned or in another file.
        guard nextSegment == nil || (nextSegment == number && before == walk.head) else { throw .broken(line: line) }
        if base == nil { base = before }
        opening = Opening(number: number, previous: before, last: end, fromSeconds: from, toSeconds: to)
        walk = AuditWalk(after: before)
        place = .inside
    }

    private mutating func enter(_ words: [ArraySlice<UInt8>]) throws(AuditExportFault) {
        guard let entry = AuditEntry(words) else { throw .unreadable(line: line) }
        guard walk.take(entry) else { throw .broken(line: line) }
    }

    /// `head HASH signature SIGNATURE`
    private mutating func close(_ words: [ArraySlice<UInt8>]) throws(AuditExportFault) {
        guard words.count == 4, says(words[2], "signature"), let opening,
            let hash = Hexadecimal.bytes(Array(words[1]), count: SHA256.digestBytes),
            let signature = Hexadecimal.bytes(Array(words[3]), count: Ed25519.signatureBytes)
        else { throw .unreadable(line: line) }
        let segment = AuditSegment(
            number: opening.number, previous: opening.previous, head: AuditHead(number: opening.last, hash: hash),
            fromSeconds: opening.fromSeconds, toSeconds: opening.toSeconds, signature: signature)
        guard walk.fits(segment), opening.number < .max, segment.isSigned(by: authority, box: box) else {
            throw .broken(line: line)
        }
        segments += 1
        nextSegment = opening.number + 1
        self.opening = nil
        place = .between
    }

    private func says(_ word: ArraySlice<UInt8>, _ text: String) -> Bool { word.elementsEqual(text.utf8) }
    private func number(_ word: ArraySlice<UInt8>) -> UInt64? { AuditEntry.number(word) }
    private func time(_ word: ArraySlice<UInt8>) -> Int64? { AuditEntry.time(word) }
}
