import Testing
import VaultPort

@Suite("A site that a phone knows")
struct KnownSiteTests {
    @Test("News and a new grant leave the rest as it was, the site's key for passwords included")
    func copies() {
        let site = KnownSite(
            id: [1], phoneKey: [2], document: [3], grant: [4], entry: [5], hasCredential: true, head: [6],
            revokedBoxes: [[7]], siteKey: [8], holders: [[9]])
        #expect(site.with(document: [3], head: [6], revokedBoxes: [[7]]) == site)
        let renewed = site.with(grant: [10])
        #expect(renewed.grant == [10] && renewed.siteKey == [8] && renewed.holders.isEmpty)
    }
}
