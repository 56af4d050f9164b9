import Links
import Secrets
import SecureChannel
import VaultPort

/// An enrolment code that was read: the public parts, and the one-time secret in guarded memory.
public struct EnrolmentCode: Sendable {
    let authorityKey: [UInt8]
    let boxKey: [UInt8]
    let codeID: [UInt8]
    let psk: HeldSecret
    let boxIDBytes: [UInt8]
    /// The user's name on the box, bytes of UTF-8.
    public let user: [UInt8]

    /// Reads the text of a `boxlink:` URI. The error says what to do.
    public init(parsing text: borrowing SecretBytes) throws(EnrolmentURIError) {
        self.init(try EnrolmentURI(parsing: text))
    }

    public init(_ uri: borrowing EnrolmentURI) {
        authorityKey = uri.authorityKey
        boxKey = uri.boxKey
        codeID = uri.codeID
        psk = HeldSecret(uri.psk.copy())
        boxIDBytes = uri.boxID
        user = uri.user
    }

    /// Returns whether the code is for this box.
    public func isFor(_ box: KnownBox) -> Bool { box.boxKey == boxKey }

    /// The digits on the box's screen.
    public var boxID: String { String(bytes: boxIDBytes) }

    /// Accepts any serial: a restored box may count from the start again, and the code is newer than its certificates.
    var expectedIdentity: ExpectedIdentity {
        ExpectedIdentity(boxID: boxIDBytes, boxKey: boxKey, authorityKey: authorityKey, lowestSerial: 0)
    }
}
