import Links
import Secrets
import VaultPort

/// What an errand wants done, in this order. Nothing here is waited for: what comes of it is an event.
public indirect enum PhoneAction: Sendable {
    /// Listen for boxes for so long.
    case scan(OperationNumber, for: Duration)
    case stopScan(OperationNumber)
    /// Connect to the address of an advertisement. One link at a time: the one before is closed first.
    case connect(OperationNumber, address: String)
    /// Read the identity of the box at the other end.
    case identify(OperationNumber)
    /// Make the link carry segments.
    case open(OperationNumber, LinkDemand)
    case write(OperationNumber, [UInt8])
    /// End the link, once it has taken what was written before, or `PhoneLimits.farewell` is over.
    case disconnect(OperationNumber)
    case measure(OperationNumber)
    case vault(OperationNumber, PhoneVaultCommand)
    case askPIN(UnlockRequest)
    case choose([KnownBox])
    /// What is stored for the box was refused, in seconds since 1970: may it be sent again?
    case askAgain(KnownBox, refusedAt: Int64)
    case show(PhoneProgress)
    case watched(WatchEvent)
    /// A ping's round trip took so long.
    case roundTrip(Duration)
    /// A sample of the signal, in dBm.
    case sample(Int)
    /// Nothing follows.
    case finished(ErrandEnd)
}
