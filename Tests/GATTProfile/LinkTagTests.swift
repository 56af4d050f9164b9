import Testing

@testable import GATTProfile

@Suite("The tag of a GATT link")
struct LinkTagTests {
    @Test("A value carries its tag in front, the high byte first")
    func format() {
        #expect(LinkTag(0x0A5B).tagged([1, 2]) == [0x0A, 0x5B, 1, 2])
        #expect(LinkTag.split([0x0A, 0x5B, 1, 2])?.tag == LinkTag(0x0A5B))
        #expect(LinkTag.split([0x0A, 0x5B, 1, 2])?.segment == [1, 2])
    }

    @Test("A value of another link, and one too short for a segment, give nothing", arguments: [0, 1, 2])
    func foreign(bytes: Int) {
        #expect(LinkTag.split([UInt8](repeating: 7, count: bytes)) == nil)
        #expect(LinkTag(1).segment(of: LinkTag(2).tagged([9])) == nil)
        #expect(LinkTag(1).segment(of: LinkTag(1).tagged([9])) == [9])
    }

    @Test("A tagged segment is never longer than the value that the MTU, and BlueZ, let through")
    func fits() {
        for mtu in 23...517 {
            let value = Bearer.gatt.segmentBytes(mtu: mtu) + LinkTag.byteCount
            #expect(value == min(mtu - 3, 244))
        }
    }

    @Test("A box's segments also fit a Multiple Handle Value Notification, and carry something at every MTU")
    func fitsBesideOthers() {
        for mtu in 23...517 {
            let bytes = Bearer.gatt.boxSegmentBytes(mtu: mtu)
            // A value follows an opcode, a handle and a length (Core Specification, volume 3, part F, 3.4.7.4).
            #expect(1 + 2 + 2 + LinkTag.byteCount + bytes <= mtu)
            #expect(bytes >= 16 && bytes <= Bearer.gatt.segmentLimitBytes)
        }
        #expect(Bearer.gatt.boxSegmentBytes(mtu: 517) == Bearer.gatt.segmentBytes(mtu: 517))
    }

    @Test("Its description is four hexadecimal digits")
    func description() {
        #expect("\(LinkTag(0x00F3))" == "00f3")
    }
}
