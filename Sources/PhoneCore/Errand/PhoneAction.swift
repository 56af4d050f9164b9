import Links
import Secrets
import VaultPort

/// An action for the shell. It performs actions in order without waiting, and reports each result as an event.
public indirect enum PhoneAction: Sendable {
    /// Listen for boxes for this long.
    case scan(OperationNumber, for: Duration)
    case stopScan(OperationNumber)
    /// Connect to the address of an advertisement. There is one link at a time: the previous one is closed first.
    case connect(OperationNumber, address: String)
    /// Read the identity of the box at the other end.
    case identify(OperationNumber)
    /// Make the link carry segments.
    case open(OperationNumber, LinkDemand)
    case write(OperationNumber, [UInt8])
    /// End the link after the pending writes, or after `PhoneLimits.farewell`.
    case disconnect(OperationNumber)
    case measure(OperationNumber)
    case vault(OperationNumber, PhoneVaultCommand)
    case askPIN(UnlockRequest)
    case choose([KnownBox])
    /// Ask whether to send the stored password again.
    case askAgain(KnownBox, PasswordDoubt)
    case show(PhoneProgress)
    case watched(WatchEvent)
    /// The round trip of a ping took this long.
    case roundTrip(Duration)
    /// A sample of the signal, in dBm.
    case sample(Int)
    /// The last action.
    case finished(ErrandEnd)
}
