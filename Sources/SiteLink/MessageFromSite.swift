import Secrets
import SiteTrust

/// A message from a site to a box, inside the channel. Layout: kind (1) ‖ fields.
public enum MessageFromSite: Sendable, Equatable {
    /// The box's certificate, which was just issued.
    case certificate(ClaimedSiteBoxCertificate)
    /// 1 to 64 entries that the box may lack.
    case entries([ClaimedRevocation])
    case head(ClaimedRevocationHead)
    /// A document that is newer than the box's.
    case document(ClaimedSiteDocument)
    /// Asks for all entries of the box, because the box has other entries than the site.
    case wantEntries
    /// The last message: the site no longer serves this box, or does not serve it yet.
    case refused(SiteRefusal)
    /// The current addresses of all servers of the site, 1 to 4. A box that joined at one server so learns of the rest.
    case servers([SiteAddress])
    /// A phone's reissued grant: the answer to `MessageToSite.renew`.
    case grant(ClaimedGrant)
    /// The site's answer to a phone, which the box passes on unchanged.
    case carried(CarriedMessage)
    /// The site has nothing more to send to the phone with this number.
    case carryEnded(CarryNumber)
    /// The outcome of a carried request: the answer to `MessageToSite.ask`.
    case held(HeldAnswer)
    /// The progress of a self-enrolment: the answers to `MessageToSite.enrolSelf`.
    case selfEnrolment(SelfEnrolmentNews)

    private enum Kind: UInt8 {
        case certificate = 1, entries, head, document, wantEntries, refused, servers, grant, carried, carryEnded, held
        case selfEnrolment
    }

    /// Reads a decrypted message. A credential or a code in it stays in guarded memory.
    public init(opened content: borrowing SecretBytes) throws(SiteLinkError) {
        switch content.count > 0 ? Kind(rawValue: content.byte(at: 0)) : nil {
        case .held: self = .held(try HeldAnswer(parsing: content, from: 1))
        case .selfEnrolment: self = .selfEnrolment(try SelfEnrolmentNews(parsing: content, from: 1))
        default: self = try MessageFromSite(parsing: content.withBytes { [UInt8](copying: $0) })
        }
    }

    /// Reads a message that carries no secret.
    public init(parsing bytes: [UInt8]) throws(SiteLinkError) {
        guard let first = bytes.first, let kind = Kind(rawValue: first) else { throw .protocolViolation }
        let content = [UInt8](bytes.dropFirst())
        do throws(SiteError) {
            switch kind {
            case .certificate: self = .certificate(try ClaimedSiteBoxCertificate(parsing: content))
            case .entries:
                var fields = FieldReader(content)
                self = .entries(try Self.entries(&fields))
            case .head: self = .head(try ClaimedRevocationHead(parsing: content))
            case .document: self = .document(try ClaimedSiteDocument(parsing: content))
            case .wantEntries where content.isEmpty: self = .wantEntries
            case .refused where content.count == 1:
                guard let refusal = SiteRefusal(rawValue: content[0]) else { throw SiteError.invalidField }
                self = .refused(refusal)
            case .servers:
                guard let servers = SiteAddressList.read(content) else { throw SiteError.invalidField }
                self = .servers(servers)
            case .grant: self = .grant(try ClaimedGrant(parsing: content))
            case .carried, .carryEnded: self = try Self.carrying(kind, content)
            case .held, .selfEnrolment: self = try Self.secret(bytes)
            case .wantEntries, .refused: throw SiteError.wrongLength
            }
        } catch {
            throw error == .unknownVersion ? .unknownVersion : .protocolViolation
        }
    }

    private static func carrying(_ kind: Kind, _ content: [UInt8]) throws(SiteError) -> MessageFromSite {
        var fields = FieldReader(content)
        do throws(SiteLinkError) {
            if kind == .carried { return .carried(try CarriedMessage(reading: &fields)) }
            let number = try CarryNumber(reading: &fields)
            guard fields.isAtEnd else { throw SiteLinkError.protocolViolation }
            return .carryEnded(number)
        } catch {
            throw .invalidField
        }
    }

    private static func secret(_ bytes: [UInt8]) throws(SiteError) -> MessageFromSite {
        do throws(SiteLinkError) {
            return try MessageFromSite(opened: SecretBytes(copying: bytes))
        } catch {
            throw .invalidField
        }
    }

    private static func entries(_ fields: inout FieldReader) throws(SiteError) -> [ClaimedRevocation] {
        do throws(SiteLinkError) {
            return try EntryBatch.read(&fields)
        } catch {
            throw error == .unknownVersion ? .unknownVersion : .invalidField
        }
    }

    /// Returns the plaintext of the message, or nil for a credential that is not valid.
    func encoded(from pool: SecretArenaPool? = nil) -> SecretBytes? {
        switch self {
        case .held(let answer): return answer.encoded(behind: Kind.held.rawValue, from: pool)
        case .selfEnrolment(let news): return news.encoded(behind: Kind.selfEnrolment.rawValue, from: pool)
        default: return SecretBytes(copying: bytes, from: pool)
        }
    }

    /// The plaintext of a message without a secret. Empty for a message that may carry a secret: use `encoded` there.
    public var bytes: [UInt8] {
        switch self {
        case .certificate(let certificate): [Kind.certificate.rawValue] + certificate.bytes
        case .entries(let entries): [Kind.entries.rawValue] + EntryBatch.bytes(entries)
        case .head(let head): [Kind.head.rawValue] + head.bytes
        case .document(let document): [Kind.document.rawValue] + document.bytes
        case .wantEntries: [Kind.wantEntries.rawValue]
        case .grant(let grant): [Kind.grant.rawValue] + grant.bytes
        case .carried(let message): [Kind.carried.rawValue] + message.bytes
        case .carryEnded(let number): [Kind.carryEnded.rawValue] + number.bytes
        case .servers(let servers): [Kind.servers.rawValue] + SiteAddressList.bytes(servers)
        case .refused(let refusal): [Kind.refused.rawValue, refusal.rawValue]
        case .held, .selfEnrolment: []
        }
    }
}
