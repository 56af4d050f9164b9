import Secrets
import SiteLink

/// One attempt of a link to a server of the site. Each attempt has its own number, so late events of earlier attempts
/// are ignored.
package struct SiteLinkID: Hashable, Sendable {
    package let number: UInt64

    package init(number: UInt64) {
        self.number = number
    }
}

/// An order to the shell about a link.
package enum SiteLinkOrder: Sendable {
    /// Connects. `ended` is always reported in the end, unless `close` came first.
    case connect(SiteAddress)
    /// Continues with the accepted server, whose key has 32 bytes.
    case shake(serverKey: [UInt8])
    /// Continues as `shake` does, but joins with the code's id and secret.
    case join(serverKey: [UInt8], codeID: [UInt8], HeldSecret)
    /// Sends the messages in this order. The link ends if its queue is full.
    case say([MessageToSite])
    /// Sends all messages, then closes the channel. No event follows.
    case close
}

/// An event of a link.
package enum SiteLinkEvent: Sendable {
    /// The identity that the server claims. The link waits for `shake`, `join` or `close`.
    case greeted(SiteGreeting)
    case established
    case said(MessageFromSite)
    /// The bits of `random` keep boxes from reconnecting at the same time.
    case ended(SiteLinkFailure, random: UInt64)
}

/// The reason why a link ended or failed.
package enum SiteLinkFailure: Equatable, Sendable, CustomStringConvertible {
    /// The problem and its cure, in words.
    case noConnection(String)
    /// A rule of this machine blocks the connection. The text has the problem and its cure.
    case forbidden(String)
    case broken(SiteLinkError)
    /// The server closed the connection without a message.
    case dropped
    /// The server does not read this box's messages.
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
