import PageCore
import SiteControl
import Testing

@Suite("Bulk codes")
struct BulkTests {
    private let text = "5f60w936fm343d54p89gv0z3f4"

    @Test("Fingerprints are read as people paste them, each once")
    func pasted() throws {
        let list = try #require(FingerprintList("\n \(text.uppercased())  the first\r\n\t\(text)\n\n"))
        #expect(list.texts == [text] && list.bytes.map(\.count) == [16] && !list.isEmpty)
        #expect(FingerprintList("")?.isEmpty == true)
    }

    @Test("A line that is no fingerprint makes none of the list good")
    func damaged() {
        for bad in [String(text.dropLast()), text + "0", "u" + text.dropFirst(), text.dropLast() + "5", "<b>"] {
            #expect(FingerprintList(text + "\n" + bad) == nil, "\(bad)")
        }
    }

    @Test("There are at most as many as one request takes")
    func bounded() {
        func lines(_ count: Int) -> String {
            (0..<count).map { number in
                let digits = Array("0123456789abcdef").map(String.init)
                return digits[number >> 8 & 15] + digits[number >> 4 & 15] + digits[number & 15] + text.dropFirst(3)
            }.joined(separator: "\n")
        }
        #expect(FingerprintList(lines(BulkWish.fingerprintLimit))?.bytes.count == BulkWish.fingerprintLimit)
        #expect(FingerprintList(lines(BulkWish.fingerprintLimit + 1)) == nil)
    }

    @Test("What was ticked is named, and nothing else")
    func ticked() throws {
        let form = try #require(Form(Array("box-b=1&box-a=on&box-c=&token=x&ox-d=1".utf8)))
        #expect(form.names(beginningWith: "box-") == ["a", "b"])
    }

    @Test("A number has digits alone, and is within its bounds")
    func numbers() {
        #expect(PageText.number("168", 1...168) == 168 && PageText.number("007", 1...168) == 7)
        for text in ["", "0", "169", "-1", "+1", "1.0", "١", "99999999999999999999"] {
            #expect(PageText.number(text, 1...168) == nil, "\(text)")
        }
    }
}
