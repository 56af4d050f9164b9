import Links
import Secrets
import VaultPort

/// Numbers what an errand asks of the world: a scan, a link, a use of the vault. What comes back carries the number; an
/// answer to something that is over is dropped.
public struct OperationNumber: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// What happens to an errand.
public indirect enum PhoneEvent: Sendable {
    /// A box was heard during a scan.
    case heard(OperationNumber, Advertisement)
    /// The scan is over; nil: its time was.
    case scanOver(OperationNumber, LinkError?)
    /// The link stands: it can be asked who it is.
    case linked(OperationNumber)
    case identity(OperationNumber, [UInt8])
    case opened(OperationNumber, Carrier)
    case segment(OperationNumber, [UInt8])
    /// The radio has taken the oldest segment that it was given.
    case written(OperationNumber)
    /// The link has ended, or did not come about.
    case linkDown(OperationNumber, LinkError)
    /// How strongly the box is heard, in dBm; nil where the radio cannot tell.
    case signal(OperationNumber, dBm: Int?)
    case vault(OperationNumber, PhoneVaultAnswer)
    /// The PIN that was asked for; nil: nobody gives one.
    case pin(HeldSecret?)
    /// Which of the boxes that were shown, by its `KnownBox.id`; nil: none.
    case chosen([UInt8]?)
    /// Whether the person wants to send again what was refused.
    case again(Bool)
    /// The person tapped while the box is watched.
    case tap(WatchTap)
    /// Nobody watches any more.
    case stop
    /// The person gives up.
    case cancel
    /// `Errand.deadline` has come, or may have.
    case time
}
