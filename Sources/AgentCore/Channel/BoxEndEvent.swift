import Links
import PhoneMessages
import Secrets
import VaultPort

/// What happens to the box's end of a link.
package enum BoxEndEvent: Sendable {
    case segment([UInt8])
    /// The radio has taken the oldest segment that it was given.
    case written
    /// The radio lost the link.
    case linkDown
    /// The device with the key that was looked for; nil: there is none.
    case found(DeviceRecord?)
    /// What the vault says of the device with the key that was asked for; nil: there is none.
    case read(DeviceSheet?)
    /// The vault cannot be read.
    case vaultFailed
    /// The agent has heard, and dealt with, what it was told.
    case heard
    /// A ping may be answered.
    case mayPing
    /// `BoxEnd.deadline` has come, or may have.
    case time

    // What the agent says.
    /// The secret of the code that this link's message 1 named.
    case give(HeldSecret)
    /// The phone counts as who it proved to be.
    case admit
    /// The site document that the phone has asked for.
    case show([UInt8])
    case say(BoxMessage)
    /// Deaf and dumb from now on; `end` follows.
    case mute
    /// What was said before, the last words and a close message have so long to leave.
    case end(ChannelEnd, lastWords: BoxMessage?, within: Duration)
}

/// What the box's end of a link wants done, in this order.
package enum BoxEndAction: Sendable {
    case write([UInt8])
    /// Look for the device with this key: `found`, or `vaultFailed`.
    case find([UInt8])
    /// Read what is kept of the device with this key: `read`, or `vaultFailed`.
    case read([UInt8])
    /// Tell the agent; `heard` once it has dealt with it. One at a time.
    case tell(PhoneEvent)
    /// Come back with `mayPing` when a ping of so many bytes may be answered.
    case waitForPing(Int)
    /// End the link. Nothing follows.
    case close(ChannelEnd)
}
