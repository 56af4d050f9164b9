import Names
import Testing
import Wire

@testable import PAMProtocol

@Suite("The order to start a console's helper")
struct ConsoleOrderTests {
    private static func order(_ change: (inout ConsoleOrder) -> Void = { _ in }) -> ConsoleOrder {
        var order = ConsoleOrder(program: Array("/usr/bin/helper".utf8), user: Array("anna".utf8), opener: 4711)
        change(&order)
        return order
    }

    private func encoded(_ order: ConsoleOrder) throws -> [UInt8] {
        try [UInt8].encoding(limit: HookOrder.messageBytes) { output throws(WireError) in
            try order.encode(into: &output)
        }
    }

    @Test("It comes back as it was sent, and not with a byte less or more")
    func roundTrip() throws {
        let bytes = try encoded(Self.order())
        #expect(try bytes.withRawSpan { try ConsoleOrder.decode($0) } == Self.order())
        for count in 0..<bytes.count {
            #expect(throws: WireError.self) {
                try Array(bytes.prefix(count)).withRawSpan { try ConsoleOrder.decode($0) }
            }
        }
        #expect(throws: WireError.trailingBytes) { try (bytes + [0]).withRawSpan { try ConsoleOrder.decode($0) } }
    }

    @Test("Neither order is ever taken for the other, every single damaged byte")
    func damaged() throws {
        let bytes = try encoded(Self.order())
        for index in bytes.indices {
            for value in UInt8.min...UInt8.max {
                var copy = bytes
                copy[index] = value
                #expect((try? copy.withRawSpan { try HookOrder.decode($0).order }) == nil)
                guard let order = try? copy.withRawSpan({ try ConsoleOrder.decode($0) }) else { continue }
                #expect(HookOrder.isProgramPath(order.program) && order.opener >= 1)
            }
        }
    }

    @Test("The longest names fit into one write")
    func largest() throws {
        let order = ConsoleOrder(
            program: Array(("/" + String(repeating: "p", count: 254)).utf8),
            user: Array(repeating: 0x75, count: UserName.byteLimit), opener: ConsoleOrder.processLimit)
        #expect(try encoded(order).withRawSpan { try ConsoleOrder.decode($0) } == order)
    }

    @Test(
        "What no module sends is refused",
        arguments: [
            order { $0.program = Array("relative".utf8) }, order { $0.program = Array("/a\0b".utf8) },
            order { $0.user = [] }, order { $0.user = [0x61, 0] }, order { $0.opener = 0 },
            order { $0.opener = ConsoleOrder.processLimit + 1 },
        ])
    func refused(order: ConsoleOrder) throws {
        let bytes = try encoded(order)
        #expect(throws: WireError.self) { try bytes.withRawSpan { try ConsoleOrder.decode($0) } }
    }
}
