import PostgreSQL
import SiteTrust

/// Why the site's store did not do what an administrator wants.
public enum SiteStoreError: Error, Sendable, Equatable, CustomStringConvertible {
    case database(DatabaseError)
    /// A row that no program of ours has written.
    case damaged(String)
    case noSuchBox(String)
    case nameTaken(String)
    case numberTaken(String, by: String)
    /// The database has a site already.
    case hasSite
    /// The database has no site yet.
    case noSite
    case signing(SiteError)
    case noSuchUser(String)
    case noSuchPhone(String)
    /// The beginning of an id that more than one phone has.
    case manyPhones(String)
    /// The key is that user's.
    case phoneOfOther(String)
    case phoneRevoked
    /// The database's clock is not where the server saw it last.
    case clocks
    /// Somebody may not do this: why not, in a sentence.
    case notAllowed(String)
    case noSuchAdministrator(String)
    case noSuchProposal(String)
    /// A proposal that cannot be approved any more, or not by this one: why.
    case notApproved(String)
    /// The audit table is not what was written: what is wrong.
    case auditBroken(String)
    /// An administrator, a number or a phone is there already: what to do.
    case taken(String)

    /// What a transaction threw: our own refusal, the database's, or bytes that are no document, entry or box.
    init(_ error: any Error) {
        switch error {
        case let error as SiteStoreError: self = error
        case let error as DatabaseError: self = .database(error)
        default: self = .damaged("what is no document, entry or box (\(error))")
        }
    }

    public var description: String {
        switch self {
        case .database(let error): "\(error)"
        case .damaged(let what):
            "the database has \(what) that no version of this program writes; restore it from a backup"
        case .noSuchBox(let name): "there is no box \(name) at this site; boxsite box list shows them"
        case .nameTaken(let name): "there is a box \(name) already; choose another name, or remove that one first"
        case .numberTaken(let number, let name): "box \(name) has the number \(number); choose another one, or none"
        case .hasSite: "this database has a site already; name another database"
        case .noSite: "this database has no site yet; run: boxsite init"
        case .signing(let error): "this cannot be signed (\(error)); see boxsite status"
        case .noSuchUser(let name): "there is no user \(name) at this site; boxsite phone list shows them"
        case .noSuchPhone(let text): "there is no phone \(text) at this site; boxsite phone list shows their ids"
        case .manyPhones(let text): "more than one phone has an id that begins with \(text); give more of it"
        case .phoneOfOther(let name):
            "this phone is \(name)'s; revoke it first, and make a new key on the phone, for somebody else to have it"
        case .phoneRevoked:
            "this phone's key was revoked, which is for good; make a new key on the phone, and add that one"
        case .clocks: "the database's clock has jumped, and nothing is signed; see boxsite status"
        case .notAllowed(let why): why
        case .noSuchAdministrator(let name):
            "there is no administrator \(name) at this site; boxsite admin list shows them"
        case .noSuchProposal(let id): "there is no proposal \(id); boxsite proposal list shows those that wait"
        case .notApproved(let why): why
        case .taken(let what): what
        case .auditBroken(let what):
            "the audit table does not hold together: \(what); compare it with the lines `audit NUMBER HASH` in the journals of the "
                + "servers, and with exports"
        }
    }
}
