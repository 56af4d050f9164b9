import Links
import PhoneCore
import PhoneMessages
import VaultPort

extension PhoneError {
    /// Writes a word and its fields. The box's digits come first, if there are any.
    func write(_ writer: inout HostWriter) {
        func decimal(_ number: Int) -> String {
            var digits: [UInt8] = []
            var rest = number.magnitude
            repeat {
                digits.insert(0x30 + UInt8(rest % 10), at: 0)
                rest /= 10
            } while rest > 0
            return String(bytes: digits)
        }
        switch self {
        case .noBoxes: writer.record("noBoxes")
        case .unknownBox(let name): writer.record("unknownBox", name)
        case .severalBoxes(let names):
            writer.record("severalBoxes", items: names.count)
            for name in names { writer.text(name) }
        case .sameDigits(let boxID, let names):
            writer.record("sameDigits", boxID, more: names.count)
            for name in names { writer.text(name) }
        case .boxNotFound(let boxID): writer.record("boxNotFound", boxID)
        case .notTheBox(let boxID, let problem):
            writer.record("notTheBox", boxID, more: 1)
            writer.text(problem.word)
        case .unreachable(let boxID, let error):
            writer.record("unreachable", boxID, more: 2)
            writer.text(error.word)
            writer.text(error.text)
        case .radio(let error):
            writer.record("radio", error.word, more: 1)
            writer.text(error.text)
        case .notAccepted(let boxID): writer.record("notAccepted", boxID)
        case .codeNotAccepted(let boxID): writer.record("codeNotAccepted", boxID)
        case .enrolmentRefused(let boxID): writer.record("enrolmentRefused", boxID)
        case .enrolmentBusy(let boxID): writer.record("enrolmentBusy", boxID)
        case .alreadyEnrolled(let boxID): writer.record("alreadyEnrolled", boxID)
        case .enrolmentUncertain(let boxID): writer.record("enrolmentUncertain", boxID)
        case .protocolVersion(let boxID): writer.record("protocolVersion", boxID)
        case .noAnswer(let boxID), .notWithdrawn(let boxID): writer.record("noAnswer", boxID)
        case .linkLost(let boxID): writer.record("linkLost", boxID)
        case .nonsense(let boxID): writer.record("nonsense", boxID)
        case .revoked(let boxID): writer.record("revoked", boxID)
        case .noDeviceSecret(let boxID): writer.record("noDeviceSecret", boxID)
        case .wrongMode: writer.record("wrongMode")
        case .vault(let error): writer.record("store", error.word)
        case .cancelled: writer.record("cancelled")
        case .grantRefused(let boxID, let refusal):
            writer.record("grantRefused", boxID, more: 1)
            writer.text(decimal(Int(refusal.rawValue)))
        case .siteStopped: writer.record("siteStopped")
        case .site(let problem): writer.record(problem.word)
        // Errors of orders that a host cannot give through this interface.
        case .numberNeeded, .pingDiffers, .twoBoxes: writer.record("noBoxes")
        }
    }
}

extension IdentityProblem {
    var word: String {
        switch self {
        case .unreadable: "unreadable"
        case .otherVersion: "otherVersion"
        case .otherAuthority: "otherAuthority"
        case .badSignature: "badSignature"
        case .otherKey: "otherKey"
        case .otherDigits: "otherDigits"
        case .olderCertificate: "olderCertificate"
        case .site(let problem): problem.word
        }
    }
}

extension SiteBoxProblem {
    fileprivate var word: String {
        switch self {
        case .noCertificate, .otherSite: "otherSite"
        case .otherKey, .otherNumber, .unknownIssuer, .notSigned: "notOfSite"
        case .expired: "siteExpired"
        case .otherGroups: "otherGroups"
        case .revoked: "siteRevoked"
        }
    }
}

extension SiteProblem {
    /// The word for a problem that a host can meet. Problems share a word if the user's next step is the same.
    fileprivate var word: String {
        switch self {
        case .noBoxOfSite: "noBoxOfSite"
        case .noBoxCarries: "noBoxCarries"
        case .codeRefused: "siteCodeRefused"
        case .enrolmentBusy: "siteBusy"
        case .enrolmentRefused: "siteRefused"
        case .enrolmentLost: "siteLost"
        case .enrolmentUncertain: "siteUncertain"
        case .expired: "siteExpired"
        case .otherUser, .otherKey: "siteOther"
        case .noSiteKey: "siteHeld"
        case .damaged: "siteDamaged"
        default: "siteNonsense"
        }
    }
}

extension LinkError {
    var word: String {
        switch self {
        case .closed: "closed"
        case .timedOut: "timedOut"
        case .cancelled: "cancelled"
        case .refused: "refused"
        case .notFound: "notFound"
        case .queueFull: "queueFull"
        case .messageTooLarge: "messageTooLarge"
        case .segments: "segments"
        case .radio: "radio"
        }
    }

    /// The radio's own error text.
    fileprivate var text: String {
        guard case .radio(let text) = self else { return "" }
        return text
    }
}

extension VaultError {
    /// The word for an error that a host's store can report. All other errors count as the store's own failure.
    fileprivate var word: String {
        switch self {
        case .diskFull: "full"
        case .busy: "busy"
        case .cancelled: "cancelled"
        case .notFound: "notFound"
        default: "unusable"
        }
    }
}
