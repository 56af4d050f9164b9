import SiteLink
import Testing

@Test("A fingerprint is 26 letters and digits of the whole hash of a key, and people may write them large")
func fingerprint() throws {
    // Computed with Python's hashlib: the first 16 bytes of SHA-256 over "boxlink-site-box-fingerprint-1" and the bytes
    // 0 to 31, in Crockford's Base32.
    let made = BoxFingerprint(of: [UInt8](0..<32))
    #expect(made.text == "e0c6hj2fygyf500py4f9cgyatm")
    #expect(BoxFingerprint(made.text.uppercased()) == made)
    #expect(BoxFingerprint(String(made.text.dropLast())) == nil)
    #expect(BoxFingerprint(bytes: made.bytes) == made && BoxFingerprint(bytes: [UInt8](made.bytes.dropLast())) == nil)
}
