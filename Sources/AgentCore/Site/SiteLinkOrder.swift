import Secrets
import SiteLink

/// One try of a link to a server of the site. Each has a number of its own: what an earlier one still tells is not heard.
package struct SiteLinkID: Hashable, Sendable {
    package let number: UInt64

    package init(number: UInt64) {
        self.number = number
    }
}

/// What the shell does with a link.
package enum SiteLinkOrder: Sendable {
    /// Connects. Whatever comes of it, `ended` is told in the end, unless `close` came before.
    case connect(SiteAddress)
    /// Goes on with the server that was believed: its key, 32 bytes.
    case shake(serverKey: [UInt8])
    /// The same to join, with the code's id and secret.
    case join(serverKey: [UInt8], codeID: [UInt8], HeldSecret)
    /// In this order. A link whose queue is full ends.
    case say([MessageToSite])
    /// Ends the channel in order, once what was said is sent. Nothing is told any more.
    case close
}

/// What happens on a link.
package enum SiteLinkEvent: Sendable {
    /// Whom the server says that it is; it waits for `shake`, `join` or `close`.
    case greeted(SiteGreeting)
    case established
    case said(MessageFromSite)
    /// `random`: any bits, by which boxes do not all come back at once.
    case ended(SiteLinkFailure, random: UInt64)
}

/// Why a link ended, or did not come about.
package enum SiteLinkFailure: Equatable, Sendable, CustomStringConvertible {
    /// In words, and what to do.
    case noConnection(String)
    /// A rule of this machine keeps the agent from the server; in words, and what to do.
    case forbidden(String)
    case broken(SiteLinkError)
    /// The server has gone without a word.
    case dropped
    /// The server does not take what it is told.
    case overfull

    package var description: String {
        switch self {
        case .noConnection(let why), .forbidden(let why): why
        case .broken(let error): "\(error)"
        case .dropped: "the server closed the connection"
        case .overfull: "the server does not read this box's messages"
        }
    }
}
