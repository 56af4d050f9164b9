/// The reasons why a box certificate or an identity was refused.
public enum CertificateError: Error, Equatable, Sendable {
    /// The length is not that of the format.
    case wrongLength
    /// This program does not know the version.
    case unknownVersion
    /// The box ID is not four to six digits.
    case invalidBoxID
    /// The key is not in its one valid encoding.
    case invalidBoxKey
    /// The authority did not sign this content.
    case notSignedByAuthority
}
