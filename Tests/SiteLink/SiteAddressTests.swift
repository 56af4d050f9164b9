import Testing

@testable import SiteLink

@Test func anAddressIsANumericHostAndAPort() {
    for text in ["192.0.2.10:4711", "127.0.0.1:1", "[2001:db8::10]:65535", "[::ffff:192.0.2.1]:4711"] {
        #expect(SiteAddress(Array(text.utf8))?.bytes == Array(text.utf8))
    }
    for text in [
        "", ":", "192.0.2.10", "192.0.2.10:", "192.0.2.10:0", "192.0.2.10:65536", "192.0.2.10:047", "host:1", ":4711",
        "[]:1", "2001:db8::10:1", "[2001:db8::10:1", "192.0.2.10:4711 ", "192.0.2.10:+1",
    ] {
        #expect(SiteAddress(Array(text.utf8)) == nil, "\(text)")
    }
}
