import CommandTool
import PhoneCore
import Vault
import VaultPort

/// Sentences that several commands print.
enum Sentences {
    static let noHardwareKeyStore = """
        Note: this machine has no hardware key store for boxphone. The limit on PIN tries protects against people who \
        use this program, but not against someone who copied its disk.
        """

    static func pinWrong(left: Int?) -> String {
        switch left {
        case nil: "the PIN is wrong"
        case 1: "the PIN is wrong; ONE try is left: another wrong PIN destroys the stored password"
        case let left?: "the PIN is wrong; \(left) tries are left, then the stored password is destroyed"
        }
    }

    static let phoneWiped =
        "\(PhoneVault.attemptPolicy.limit) wrong PINs have destroyed the passwords on this phone; store them "
        + "again with: boxphone credentials set"

    /// The question before a doubtful stored password is sent again.
    static func sendAgain(_ box: KnownBox, _ doubt: PasswordDoubt) -> String {
        switch doubt {
        case .refused(let time):
            let who = box.site == nil ? "The box" : "A box of your site"
            return "\(who) refused this password on \(Timestamp.recent(time)). Send it again? [y/N] "
        case .unknown:
            return "It is not known whether this password was accepted the last two times. Send it again? [y/N] "
        }
    }

    /// Explains why a stored password was not sent, and what to do.
    static func notSentAgain(_ boxID: String, _ doubt: PasswordDoubt, isSaid: Bool) -> String {
        if isSaid { return "the stored password was not sent; store another with: boxphone credentials set \(boxID)" }
        let why =
            switch doubt {
            case .refused(let time): "box \(boxID) refused this password on \(Timestamp.recent(time))"
            case .unknown: "it is not known whether this password was accepted the last two times"
            }
        return why
            + ", so it was not sent again; store another with boxphone credentials set \(boxID), or send it with: "
            + "boxphone login --send-again \(boxID)"
    }

    /// Returns a time such as `2 h 5 min`, rounded up.
    static func time(_ seconds: UInt32) -> String {
        if seconds < 120 { return "\(seconds) s" }
        let minutes = (seconds + 59) / 60
        return minutes < 120 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
    }
}
