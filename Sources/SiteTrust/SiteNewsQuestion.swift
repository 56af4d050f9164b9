import Secrets

/// A phone's summary of its site data, so that a box can send the rest: document, signed status, and short hashes of
/// entries. A phone with many entries asks about one part of them at a time.
///
/// The salt is new for each question, so that an attacker cannot prepare an entry with the short hash of another.
public struct SiteNewsQuestion: Sendable, Equatable {
    static let version: UInt8 = 1
    /// The version for a phone that also accepts notices of enrolments.
    static let noticesVersion: UInt8 = 2
    /// Layout version (1) ‖ document (8) ‖ number (8) ‖ time (8) ‖ salt (8) ‖ parts (1) ‖ part (1).
    static let fixedBytes = 35
    static let hashBytes = 4
    public static let saltBytes = 8
    /// The most entries that one question names.
    public static let entryLimit = 200
    /// The approximate number of a phone's entries in one part.
    static let entriesInPart = 100
    /// The most notices of one user that a box considers.
    static let noticeLimit = 64
    /// The most entries in one answer.
    public static let answerLimit = 32
    private static let context = [UInt8]("boxlink-site-news-1".utf8)

    /// True if the phone accepts notices of enrolments.
    public let takesNotices: Bool
    /// The version of the phone's document.
    public let document: SiteOrdinal
    /// The number of the phone's signed status; 0 without a status. `time` is the status's time.
    public let number: UInt64
    public let time: UInt64
    /// The number of parts, 1 to 255. `part` is the index of the part in question, from 0 on.
    public let parts: UInt8
    public let part: UInt8
    private let salt: [UInt8]
    /// The encoded question, 35 to 835 bytes.
    public let bytes: [UInt8]

    /// Reads a question.
    public init(parsing bytes: [UInt8]) throws(SiteError) {
        guard let version = bytes.first else { throw .wrongLength }
        guard version == Self.version || version == Self.noticesVersion else { throw .unknownVersion }
        takesNotices = version == Self.noticesVersion
        var fields = FieldReader(bytes)
        _ = try fields.byte()
        document = try SiteOrdinal(try fields.number())
        number = try fields.number()
        time = try fields.number()
        guard time < SiteSeconds.limit else { throw .invalidField }
        salt = try fields.take(Self.saltBytes)
        parts = try fields.byte()
        part = try fields.byte()
        guard part < parts else { throw .invalidField }
        guard fields.rest % Self.hashBytes == 0, fields.rest <= Self.entryLimit * Self.hashBytes else {
            throw .wrongLength
        }
        self.bytes = bytes
    }

    /// Creates the question about one part of the phone's data, by its index from 0. Returns nil after the last part.
    ///
    /// - Parameters:
    ///   - salt: 8 random bytes.
    ///   - takesNotices: True to ask for notices too, which not every box supports.
    public init?(of site: PhoneSite, part: Int, salt: [UInt8], takesNotices: Bool) {
        let entries = site.revokedBoxes.entries
        // The number of parts doubles, so that no entry moves into an earlier part, which was asked about already.
        var parts = 1
        while parts * Self.entriesInPart < entries.count, parts < 128 { parts *= 2 }
        guard salt.count == Self.saltBytes, (0..<parts).contains(part) else { return nil }
        (self.parts, self.part) = (UInt8(truncatingIfNeeded: parts), UInt8(truncatingIfNeeded: part))
        self.takesNotices = takesNotices
        document = site.pin.facts.version
        number = site.head?.facts.number ?? 0
        time = site.head?.facts.time ?? 0
        self.salt = salt
        var hashes: [UInt8] = []
        for entry in entries {
            guard Self.part(of: entry.bytes, self.parts) == self.part, hashes.count < Self.entryLimit * Self.hashBytes
            else { continue }
            hashes += Self.hash(entry.bytes, salt)
        }
        var bytes = [takesNotices ? Self.noticesVersion : Self.version]
        bytes.append(bigEndian: document.value)
        bytes.append(bigEndian: number)
        bytes.append(bigEndian: time)
        self.bytes = bytes + salt + [self.parts, self.part] + hashes
    }

    /// Returns the encoded entries of boxes, and the notices for the phone's user, that the phone lacks in this part
    /// and can verify by `document`. At most `answerLimit`.
    public func lacking(
        of set: RevocationSet, document: SiteDocumentFacts, user: SiteUserID?
    ) -> [[UInt8]] {
        var held: Set<ArraySlice<UInt8>> = []
        for place in stride(from: Self.fixedBytes, to: bytes.count, by: Self.hashBytes) {
            held.insert(bytes[place..<place + Self.hashBytes])
        }
        var lacking: [[UInt8]] = []
        var entries: [[UInt8]] = []
        if takesNotices, let user {
            entries = set.notices(for: user, limit: Self.noticeLimit, document: document)
        }
        entries += set.entriesOfBoxes(limit: PhoneSite.revokedBoxesLimit, document: document)
        for entry in entries where lacking.count < Self.answerLimit {
            guard Self.part(of: entry, parts) == part, !held.contains(Self.hash(entry, salt)[...]) else { continue }
            lacking.append(entry)
        }
        return lacking
    }

    /// Returns whether the phone lacks the signed status.
    public func lacks(_ head: RevocationHead) -> Bool {
        let facts = head.facts
        return facts.number >= number && facts.time >= time && (facts.number > number || facts.time > time)
    }

    /// Returns the entry's part, by the first byte of the box's key or of the user id.
    private static func part(of entry: [UInt8], _ parts: UInt8) -> UInt8 { entry[2] % parts }

    private static func hash(_ entry: [UInt8], _ salt: [UInt8]) -> [UInt8] {
        [UInt8](SHA256.hash(context + salt + SiteSignature.content(entry)).prefix(hashBytes))
    }
}
