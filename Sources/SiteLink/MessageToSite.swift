import SiteTrust

/// A message from a box to its site, inside the channel. Layout: kind (1) ‖ fields.
public enum MessageToSite: Sendable, Equatable {
    /// The first message, sent once.
    case hello(SiteHello)
    /// 1 to 64 entries of the box, after `wantEntries` asked for them.
    case entries([ClaimedRevocation])
    /// Ends the entries. The box sends its signed status before this, so that the site's next number is higher.
    case entriesEnd
    /// The signed status with this number covers other entries than the box has.
    case differs(number: UInt64)
    /// A claim that the signed status with this number is stored durably and in force at the box.
    case took(number: UInt64)
    /// The box leaves the site for good.
    case leaving
    /// The newest signed status that the box holds, sent after the requested entries.
    case head(ClaimedRevocationHead)
    /// Asks for a reissue of this grant, which admitted a phone. The answer is `MessageFromSite.grant`, or nothing.
    case renew(ClaimedGrant)
    /// A message of a phone that is being enrolled, unchanged.
    case carry(CarriedMessage)
    /// The phone with this number has disconnected.
    case endCarry(CarryNumber)
    /// A phone's request about its site-held credential. The answer is `MessageFromSite.held`.
    case ask(CarriedRequest)
    /// A user who has logged in at the box wants to enrol a phone. The answers are `MessageFromSite.selfEnrolment`.
    case enrolSelf(SelfEnrolmentWish)

    /// Most entries in a message.
    public static let entryLimit = 64

    private enum Kind: UInt8 {
        case hello = 1, entries, entriesEnd, differs, took, leaving, head, renew, carry, endCarry, ask, enrolSelf
    }

    /// Reads a message.
    public init(parsing bytes: [UInt8]) throws(SiteLinkError) {
        guard let first = bytes.first, let kind = Kind(rawValue: first) else { throw .protocolViolation }
        var fields = FieldReader([UInt8](bytes.dropFirst()))
        switch kind {
        case .hello: self = .hello(try SiteHello(reading: &fields))
        case .entries: self = .entries(try EntryBatch.read(&fields))
        case .entriesEnd: self = .entriesEnd
        case .differs: self = .differs(number: try fields.linkNumber())
        case .took: self = .took(number: try fields.linkNumber())
        case .leaving: self = .leaving
        case .head: self = .head(try fields.linkHead())
        case .renew: self = .renew(try fields.linkGrant())
        case .carry: self = .carry(try CarriedMessage(reading: &fields))
        case .endCarry: self = .endCarry(try CarryNumber(reading: &fields))
        case .ask: self = .ask(try CarriedRequest(reading: &fields))
        case .enrolSelf: self = .enrolSelf(try SelfEnrolmentWish(reading: &fields))
        }
        guard fields.isAtEnd else { throw .protocolViolation }
    }

    /// The plaintext of the message.
    public var bytes: [UInt8] {
        switch self {
        case .hello(let hello): return [Kind.hello.rawValue] + hello.bytes
        case .entries(let entries): return [Kind.entries.rawValue] + EntryBatch.bytes(entries)
        case .entriesEnd: return [Kind.entriesEnd.rawValue]
        case .differs(let number): return Self.numbered(.differs, number)
        case .took(let number): return Self.numbered(.took, number)
        case .leaving: return [Kind.leaving.rawValue]
        case .head(let head): return [Kind.head.rawValue] + head.bytes
        case .renew(let grant): return [Kind.renew.rawValue] + grant.bytes
        case .carry(let message): return [Kind.carry.rawValue] + message.bytes
        case .endCarry(let number): return [Kind.endCarry.rawValue] + number.bytes
        case .ask(let asked): return [Kind.ask.rawValue] + asked.bytes
        case .enrolSelf(let wish): return [Kind.enrolSelf.rawValue] + wish.bytes
        }
    }

    private static func numbered(_ kind: Kind, _ number: UInt64) -> [UInt8] {
        var bytes = [kind.rawValue]
        bytes.append(bigEndian: number)
        return bytes
    }
}

/// A concatenation of entries, at least one.
enum EntryBatch {
    static func read(_ fields: inout FieldReader) throws(SiteLinkError) -> [ClaimedRevocation] {
        var entries: [ClaimedRevocation] = []
        do throws(SiteError) {
            repeat {
                guard entries.count < MessageToSite.entryLimit else { throw SiteError.wrongLength }
                entries.append(try ClaimedRevocation(parsing: try fields.take(Revocation.byteCount)))
            } while !fields.isAtEnd
        } catch {
            throw error == .unknownVersion ? .unknownVersion : .protocolViolation
        }
        return entries
    }

    static func bytes(_ entries: [ClaimedRevocation]) -> [UInt8] { entries.flatMap(\.bytes) }
}

extension FieldReader {
    mutating func linkHead() throws(SiteLinkError) -> ClaimedRevocationHead {
        do throws(SiteError) {
            return try ClaimedRevocationHead(parsing: try take(rest))
        } catch {
            throw .protocolViolation
        }
    }

    mutating func linkGrant() throws(SiteLinkError) -> ClaimedGrant {
        do throws(SiteError) { return try ClaimedGrant(parsing: try take(rest)) } catch { throw .protocolViolation }
    }

    mutating func linkNumber() throws(SiteLinkError) -> UInt64 {
        do throws(SiteError) { return try number() } catch { throw .protocolViolation }
    }
}
