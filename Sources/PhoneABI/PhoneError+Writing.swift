import Links
import PhoneCore
import VaultPort

extension PhoneError {
    /// A word, and what belongs to it: the box's digits first, where there are any.
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
        case .noAnswer(let boxID): writer.record("noAnswer", boxID)
        case .linkLost(let boxID): writer.record("linkLost", boxID)
        case .nonsense(let boxID): writer.record("nonsense", boxID)
        case .pingDiffers(let boxID, let place):
            writer.record("pingDiffers", boxID, more: 1)
            writer.text(decimal(place))
        case .revoked(let boxID): writer.record("revoked", boxID)
        case .noDeviceSecret(let boxID): writer.record("noDeviceSecret", boxID)
        case .wrongMode: writer.record("wrongMode")
        case .vault(let error): writer.record("store", error.word)
        case .cancelled: writer.record("cancelled")
        // Hosts of this interface have no sites.
        case .numberNeeded, .grantRefused, .siteStopped, .site: writer.record("noBoxes")
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
        // Hosts of this interface have no sites.
        case .site: "otherAuthority"
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
