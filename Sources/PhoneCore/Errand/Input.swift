import Links
import PhoneMessages
import Secrets
import VaultPort

/// A `PhoneEvent` as a step receives it: without stale events, and with messages in place of segments.
indirect enum Input: Sendable {
    case heard(Advertisement)
    case scanOver(LinkError?)
    case linked
    case identity([UInt8])
    case opened(Carrier)
    /// The link ended before a channel opened.
    case linkDown(LinkError)
    /// The handshake is done.
    case established
    case message(BoxMessage)
    /// A message on a link without a handshake. Only a signature inside the message can authenticate it.
    case clear([UInt8])
    case unintelligible
    /// The channel or the handshake has ended.
    case channelEnded
    case signal(dBm: Int?)
    case vault(PhoneVaultAnswer)
    case pin(HeldSecret?)
    case chosen([UInt8]?)
    case again(Bool)
    case tap(WatchTap)
    case stop
    case cancel
    /// Time has passed, or the radio has taken a segment.
    case time
}
