import Links
import Secrets
import VaultPort

/// Numbers a scan, a link or a use of the vault. Events carry the number, so that late answers are ignored.
public struct OperationNumber: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// An event for an operation.
public indirect enum PhoneEvent: Sendable {
    /// A box was heard during a scan.
    case heard(OperationNumber, Advertisement)
    /// The scan has ended. The error is nil if the scan's time was over.
    case scanOver(OperationNumber, LinkError?)
    /// The link is open, and the identity can be read.
    case linked(OperationNumber)
    case identity(OperationNumber, [UInt8])
    case opened(OperationNumber, Carrier)
    case segment(OperationNumber, [UInt8])
    /// The radio has taken the oldest pending segment.
    case written(OperationNumber)
    /// The link has ended or did not open.
    case linkDown(OperationNumber, LinkError)
    /// The box's signal in dBm; nil if the radio cannot measure it.
    case signal(OperationNumber, dBm: Int?)
    case vault(OperationNumber, PhoneVaultAnswer)
    /// The requested PIN; nil if the person gives none.
    case pin(HeldSecret?)
    /// The `KnownBox.id` of the chosen box; nil if the person chose none.
    case chosen([UInt8]?)
    /// True if the person wants to send the doubtful password again.
    case again(Bool)
    /// The person tapped during a watch.
    case tap(WatchTap)
    /// The person ends the watch.
    case stop
    /// The person gives up.
    case cancel
    /// `Errand.deadline` may have come.
    case time
}
