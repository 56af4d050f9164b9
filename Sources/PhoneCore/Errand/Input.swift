import Links
import PhoneMessages
import Secrets
import VaultPort

/// A `PhoneEvent` as a step of an errand hears it: what was over is gone, and segments have become messages.
indirect enum Input: Sendable {
    case heard(Advertisement)
    case scanOver(LinkError?)
    case linked
    case identity([UInt8])
    case opened(Carrier)
    /// The link ended before there was a channel on it.
    case linkDown(LinkError)
    /// The handshake is done.
    case established
    case message(BoxMessage)
    /// What a box says without a handshake: to be believed by its own signature alone.
    case clear([UInt8])
    case unintelligible
    /// The channel, or the handshake, has ended.
    case channelEnded
    case signal(dBm: Int?)
    case vault(PhoneVaultAnswer)
    case pin(HeldSecret?)
    case chosen([UInt8]?)
    case again(Bool)
    case tap(WatchTap)
    case stop
    case cancel
    /// Time has passed, or the radio has taken something.
    case time
}
