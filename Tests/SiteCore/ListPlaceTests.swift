import SiteCore
import Testing

@Test("A place in a list is what a page got, byte for byte, and nothing else is one")
func placesInLists() {
    for key in ["", "004711", "anna", "a b", "ä\u{301}", String(repeating: "x", count: 64)] {
        let place = ListPlace(key: key, row: 12)
        #expect(ListPlace(place.text) == place)
    }
    for text in [
        "", "12", " anna", "-1 anna", "x anna", "9223372036854775808 a", "1 \0",
        "1 " + String(repeating: "x", count: 65),
    ] {
        #expect(ListPlace(text) == nil, "\(text)")
    }
}
