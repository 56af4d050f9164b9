import Links
import PhoneCore
import VaultPort

extension PhoneError {
    /// A word, and what belongs to it: the box's digits first, where there are any.
    func write(_ writer: inout HostWriter) {
        func words(_ word: String, _ texts: [String], _ writer: inout HostWriter) {
            writer.array(1 + texts.count)
            writer.text(word)
            for text in texts { writer.text(text) }
        }
        switch self {
        case .noBoxes: words("noBoxes", [], &writer)
        case .unknownBox(let name): words("unknownBox", [name], &writer)
        case .severalBoxes(let names): words("severalBoxes", names, &writer)
        case .sameDigits(let boxID, let names): words("sameDigits", [boxID] + names, &writer)
        case .boxNotFound(let boxID): words("boxNotFound", [boxID], &writer)
        case .notTheBox(let boxID, let problem): words("notTheBox", [boxID, problem.word], &writer)
        case .unreachable(let boxID, let error): words("unreachable", [boxID, error.word, error.text], &writer)
        case .radio(let error): words("radio", [error.word, error.text], &writer)
        case .notAccepted(let boxID): words("notAccepted", [boxID], &writer)
        case .codeNotAccepted(let boxID): words("codeNotAccepted", [boxID], &writer)
        case .enrolmentRefused(let boxID): words("enrolmentRefused", [boxID], &writer)
        case .enrolmentBusy(let boxID): words("enrolmentBusy", [boxID], &writer)
        case .alreadyEnrolled(let boxID): words("alreadyEnrolled", [boxID], &writer)
        case .enrolmentUncertain(let boxID): words("enrolmentUncertain", [boxID], &writer)
        case .protocolVersion(let boxID): words("protocolVersion", [boxID], &writer)
        case .noAnswer(let boxID): words("noAnswer", [boxID], &writer)
        case .linkLost(let boxID): words("linkLost", [boxID], &writer)
        case .nonsense(let boxID): words("nonsense", [boxID], &writer)
        case .pingDiffers(let boxID, let place): words("pingDiffers", [boxID, String(place)], &writer)
        case .revoked(let boxID): words("revoked", [boxID], &writer)
        case .noDeviceSecret(let boxID): words("noDeviceSecret", [boxID], &writer)
        case .wrongMode: words("wrongMode", [], &writer)
        case .vault(let error): words("store", [error.word], &writer)
        case .cancelled: words("cancelled", [], &writer)
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

    /// What the radio said, in its own words.
    fileprivate var text: String {
        guard case .radio(let text) = self else { return "" }
        return text
    }
}

extension VaultError {
    /// Of those that a host's store can name; all else is its own failure.
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
