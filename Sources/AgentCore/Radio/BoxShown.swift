/// What the box shows of itself to everybody, beside its keys: its digits, and whose box it is.
package struct BoxShown: Equatable, Sendable {
    /// Four to six ASCII digits. The vault has them as well, and gives them a certificate.
    package let boxID: [UInt8]
    /// The box's certificate of its site, 141 bytes; nil: it belongs to none, or the vault has not said yet.
    package let siteCertificate: [UInt8]?

    package init(boxID: [UInt8], siteCertificate: [UInt8]? = nil) {
        self.boxID = boxID
        self.siteCertificate = siteCertificate
    }
}
