import PostgreSQL
import SiteTrust

/// The reason why the site's store refused or failed.
public enum SiteStoreError: Error, Sendable, Equatable, CustomStringConvertible {
    case database(DatabaseError)
    /// A row that our programs cannot have written.
    case damaged(String)
    case noSuchBox(String)
    /// No box with that fingerprint waits.
    case noWaitingBox(String)
    /// The ID of a code that does not exist.
    case noBulkCode(String)
    /// The number of a box that is not suspended.
    case notSuspended(String)
    case nameTaken(String)
    case numberTaken(String, by: String)
    /// The database has a site already.
    case hasSite
    /// The database has no site yet.
    case noSite
    case signing(SiteError)
    case noSuchUser(String)
    case noSuchPhone(String)
    /// The start of an ID that more than one phone has.
    case manyPhones(String)
    /// The key belongs to that user.
    case phoneOfOther(String)
    case phoneRevoked
    /// The enrolment cannot be confirmed: it has expired, the phone left, or the digits differ.
    case enrolmentOver
    case manyEnrolments
    /// The database names no synchronous standby, although another PostgreSQL can take over.
    case noStandby
    /// The database's clock has jumped since the server last saw it.
    case clocks
    /// A site cannot be founded by these clocks. The text has the fault.
    case wrongClocks(String)
    /// The person may not do this. The text is a sentence with the reason.
    case notAllowed(String)
    case noSuchAdministrator(String)
    case noSuchProposal(String)
    /// The proposal cannot be approved any more, or not by this person. The text has the reason.
    case notApproved(String)
    /// The audit table was changed. The text has the fault.
    case auditBroken(String)
    /// An administrator, a number or a phone already exists. The text says what to do.
    case taken(String)
    /// The server's site document is not the newest one in the database.
    case otherDocument
    /// The document cannot follow the newest one.
    case refusedDocument(SiteError)
    /// The document begins a new generation, and lists issuers that have certified revoked boxes.
    case revokedBoxes(issuers: String)
    /// The document lists no key of this server for these roles.
    case cannotSign(String)
    /// With the entries that are signed again, there would be more than a set holds.
    case tooManyEntries
    /// The one-time code is wrong, used or expired.
    case noPasskeyCode
    case noSuchPasskey
    /// The passkey's counter did not rise.
    case passkeyCopied

    /// Converts an error of a transaction: our own, the database's, or bytes that are not a document, entry or box.
    init(_ error: any Error) {
        switch error {
        case let error as SiteStoreError: self = error
        case let error as DatabaseError: self = .database(error)
        default: self = .damaged("an invalid document, entry or box (\(error))")
        }
    }

    public var description: String {
        switch self {
        case .database(let error): "\(error)"
        case .damaged(let what):
            "the database holds invalid data: \(what); restore it from a backup"
        case .noSuchBox(let name): "there is no box \(name) at this site; boxsite box list shows the boxes"
        case .noWaitingBox(let text):
            "no waiting box has the fingerprint \(text), so nothing was changed; boxsite box list shows the waiting boxes"
        case .noBulkCode(let text): "there is no bulk code \(text); boxsite box codes lists the codes"
        case .notSuspended(let number): "box \(number) is not suspended; boxsite box list shows the state of each"
        case .nameTaken(let name): "box \(name) already exists; choose another name, or remove that box first"
        case .numberTaken(let number, let name):
            "box \(name) already has the number \(number); choose another number, or none"
        case .hasSite: "this database already has a site; name another database"
        case .noSite: "this database has no site yet; run: boxsite init"
        case .signing(let error): "this cannot be signed (\(error)); see boxsite status"
        case .noSuchUser(let name): "there is no user \(name) at this site; boxsite phone list shows the users"
        case .noSuchPhone(let text): "there is no phone \(text) at this site; boxsite phone list shows their ids"
        case .manyPhones(let text):
            "more than one phone has an id that begins with \(text); give more characters of the id"
        case .phoneOfOther(let name):
            "this phone belongs to \(name); to give it to another user, revoke it first and make a new key on the phone"
        case .phoneRevoked:
            "this phone's key is revoked for good; make a new key on the phone, and add that one"
        case .otherDocument:
            "this server does not have the newest site document yet; try again in a second, and see boxsite status"
        case .refusedDocument(let error):
            "not published: this document \(error); sign a new one based on what boxsite document show prints now"
        case .revokedBoxes(let issuers):
            "in a new generation, phones would again believe certificates that the issuers \(issuers) signed for removed boxes; "
                + "list other issuers of boxes (boxsite issuers new), and drop these"
        case .cannotSign(let roles):
            "this server has no key that the document lists for \(roles), so it could not sign; publish the document at the server "
                + "where you ran boxsite issuers new, or first copy the key files from there"
        case .tooManyEntries:
            "there would be more than 16384 entries, because each entry of a dropped issuer is signed again; start a new "
                + "generation instead"
        case .enrolmentOver:
            "this enrolment has ended or its digits differ, so no phone was enrolled; start with a new code"
        case .manyEnrolments: "too many enrolment codes are open; wait until some are used or expire"
        case .noStandby:
            "nothing was changed: the database has no synchronous standby, so a change could be lost when another PostgreSQL "
                + "takes over; set synchronous_standby_names there, or accept_loss = true in [database] of boxsite.toml"
        case .clocks: "the database's clock has jumped, so signing has stopped; see boxsite status"
        case .wrongClocks(let what): "\(what); set both clocks right (NTP), then run boxsite init again"
        case .notAllowed(let why): why
        case .noSuchAdministrator(let name):
            "there is no administrator \(name) at this site; boxsite admin list shows the administrators"
        case .noSuchProposal(let id): "there is no proposal \(id); boxsite proposal list shows the waiting ones"
        case .notApproved(let why): why
        case .taken(let what): what
        case .noPasskeyCode: "the one-time code is wrong, used or too old; boxsite admin link prints a new one"
        case .noSuchPasskey: "this passkey is unknown, or its administrator was removed"
        case .passkeyCopied:
            "the passkey's counter did not rise, so there may be a copy of it; boxsite admin passkeys removes the passkey"
        case .auditBroken(let what):
            "the audit table is not intact: \(what); compare it with the lines `audit NUMBER HASH` in the journals of the "
                + "servers, and with exports"
        }
    }
}
