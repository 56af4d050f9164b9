import Links
import Testing
import TextOutput

@testable import BoxPhoneCommand
@testable import PhoneCore

@Suite("What boxphone ping says of the way")
struct PingReportTests {
    private func report(_ carrierName: String, _ binding: [UInt8]) -> PingReport {
        PingReport(
            carrier: Carrier(
                name: carrierName, binding: binding, limits: SegmentLimits(sentBytes: 180, receivedBytes: 180),
                carries: .little),
            size: 64, roundTrips: [.milliseconds(20)])
    }

    @Test(
        "Scripts read bearer and PSM of Bluetooth; another radio's carrier has its name and no PSM",
        arguments: [
            ("GATT", [1, 0, 0], #""bearer":"gatt","psm":0,"#),
            ("L2CAP (PSM 128)", [2, 0, 0x80], #""bearer":"l2cap","psm":128,"#),
            ("memory", [0x4D], #""bearer":"memory","psm":0,"#),
        ] as [(String, [UInt8], String)])
    func json(_ name: String, _ binding: [UInt8], _ expected: String) {
        let line = JSONValue.record(report(name, binding).fields(boxID: "4711")).line
        #expect(line.contains(expected), "\(line)")
        let said = report(name, binding).lines(boxID: "4711").first
        #expect(said == "All bytes came back over \(name), in segments of up to 180 bytes")
    }
}
