import PageCore
import SiteControl
import Testing

@Suite("Enrolments")
struct EnrolmentTests {
    @Test("Digits are compared only where there are six, and what nobody knows is over")
    func steps() {
        func step(_ state: String, _ digits: String? = nil) -> EnrolmentStep {
            var listing = EnrolmentListing()
            (listing.state, listing.digits) = (state, digits)
            return EnrolmentStep(listing)
        }
        #expect(step("open") == .waiting && step("claimed") == .begun && step("done", "123456") == .done)
        #expect(step("shown", "012345") == .comparing("012345"))
        for digits in [nil, "", "12345", "1234567", "12345a", "１２３４５６"] {
            #expect(step("shown", digits) == .ended("enrolmentOver"), "\(digits ?? "none")")
        }
        #expect(step("lost") == .ended("enrolmentLost") && step("over") == .ended("enrolmentOver"))
        #expect(step("of a later version") == .ended("enrolmentOver"))
        #expect(step("open").isUnderWay && step("claimed").isUnderWay && !step("shown", "012345").isUnderWay)
    }

    @Test("A code's id is written in one way")
    func ids() {
        let id: [UInt8] = [0, 1, 0x7f, 0x80, 0xff, 10, 0xab, 0]
        #expect(EnrolmentID.text(id) == "00017f80ff0aab00" && EnrolmentID.bytes("00017f80ff0aab00") == id)
        for text in [
            "", "00017f80ff0aab", "00017F80ff0aab00", "+1017f80ff0aab00", "00017f80ff0aab0g", "00017f80ff0aab0000",
        ] {
            #expect(EnrolmentID.bytes(text) == nil, "\(text)")
        }
    }

    @Test("A QR code's path covers the dark modules and no other one")
    func path() {
        let rows = ["#.##", "....", "####", "#..#"]
        let drawn = QRPicture.path(width: 4) { row, column in Array(rows[row])[column] == "#" }
        #expect(drawn == "M0 0h1v1H0zM2 0h2v1H2zM0 2h4v1H0zM0 3h1v1H0zM3 3h1v1H3z")
    }
}
