import Links
import PhoneMessages
import Secrets
import VaultPort

/// An event for the box's end of a link.
package enum BoxEndEvent: Sendable {
    case segment([UInt8])
    /// The radio has taken the oldest segment that it was given.
    case written
    case linkDown
    /// The device with the key of `BoxEndAction.find`, or nil if the vault has none.
    case found(DeviceRecord?)
    /// The vault's data about the device with the key of `BoxEndAction.read`, or nil if the vault has none.
    case read(DeviceSheet?)
    case vaultFailed
    /// The agent has handled the last event that it was told.
    case heard
    /// The box may answer the ping.
    case mayPing
    /// `BoxEnd.deadline` may have passed.
    case time

    // Orders of the agent:
    /// The secret of the enrolment code that this link's message 1 named.
    case give(HeldSecret)
    /// Accepts the phone's proven identity.
    case admit
    /// Sends the site document that the phone has requested.
    case show([UInt8])
    case say(BoxMessage)
    /// Stop listening and sending. `end` follows.
    case mute
    /// End the channel. Earlier messages, the last words and a close message may take this long to leave.
    case end(ChannelEnd, lastWords: BoxMessage?, within: Duration)
}

/// An action that the box's end of a link requires. Perform actions in order.
package enum BoxEndAction: Sendable {
    case write([UInt8])
    /// Look for the device with this key. Answer with `found` or `vaultFailed`.
    case find([UInt8])
    /// Read the vault's data about the device with this key. Answer with `read` or `vaultFailed`.
    case read([UInt8])
    /// Tell the agent, one event at a time. Answer with `heard` once the agent has handled the event.
    case tell(ChannelEvent)
    /// Answer with `mayPing` when a ping of this many bytes may be answered.
    case waitForPing(Int)
    /// End the link. No action follows.
    case close(ChannelEnd)
}
