/// The public identity of the box besides its keys: its digits and its site certificate.
package struct BoxShown: Equatable, Sendable {
    /// Four to six ASCII digits. The vault also stores these digits and certifies them.
    package let boxID: [UInt8]
    /// The box's certificate from its site, 141 bytes. It is nil without a site, and until the vault has answered.
    package let siteCertificate: [UInt8]?

    package init(boxID: [UInt8], siteCertificate: [UInt8]? = nil) {
        self.boxID = boxID
        self.siteCertificate = siteCertificate
    }
}
