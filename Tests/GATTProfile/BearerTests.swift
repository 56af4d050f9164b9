import Testing

@testable import GATTProfile

@Suite("Bearers")
struct BearerTests {
    @Test("A binding is the bearer and the PSM, big-endian, and nothing else is read as one")
    func binding() {
        #expect(BearerBinding.gatt.bytes == [1, 0, 0])
        #expect(BearerBinding.l2cap(psm: 0x0182).bytes == [2, 0x01, 0x82])
        for binding in [BearerBinding.gatt, .l2cap(psm: 0x0080)] { #expect(BearerBinding(binding.bytes) == binding) }
        for bytes: [UInt8] in [[], [1], [1, 0], [3, 0, 0], [0, 0, 0], [1, 0, 0, 0]] {
            #expect(BearerBinding(bytes) == nil)
        }
    }

    @Test("Automatic takes GATT for little and L2CAP for much; a person's choice is kept")
    func preference() {
        #expect(BearerPreference.automatic.bearer(forMuch: false) == .gatt)
        #expect(BearerPreference.automatic.bearer(forMuch: true) == .l2cap)
        for isMuch in [false, true] {
            #expect(BearerPreference.gatt.bearer(forMuch: isMuch) == .gatt)
            #expect(BearerPreference.l2cap.bearer(forMuch: isMuch) == .l2cap)
        }
    }
}
