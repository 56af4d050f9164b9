/// Why a box certificate or an identity was refused.
public enum CertificateError: Error, Equatable, Sendable {
    /// Another length than the format has.
    case wrongLength
    /// A version that this program does not know.
    case unknownVersion
    /// A box ID that is not four to six digits.
    case invalidBoxID
    /// Not the one encoding of a key.
    case invalidBoxKey
    /// The signature is not the authority's over this content.
    case notSignedByAuthority
}
