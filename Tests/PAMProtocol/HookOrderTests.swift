import Testing
import Wire

@testable import PAMProtocol

@Suite("The order to session-hook")
struct HookOrderTests {
    private static func order(_ change: (inout HookOrder) -> Void = { _ in }) -> HookOrder {
        var order = HookOrder(
            program: Array("/etc/hook".utf8), user: Array("anna".utf8), seconds: 60,
            environment: [Array("XDG_SESSION_ID=c1".utf8)])
        change(&order)
        return order
    }

    private func encoded(_ order: HookOrder, _ authtok: [UInt8] = [1, 2, 3]) throws -> [UInt8] {
        try [UInt8].encoding(limit: HookOrder.messageBytes) { output throws(WireError) in
            try authtok.withRawSpan { span throws(WireError) in try order.encode(authtok: span, into: &output) }
        }
    }

    @Test("It comes back as it was sent, with the credential where it says, and not with a byte less or more")
    func roundTrip() throws {
        let bytes = try encoded(Self.order())
        let (order, authtok) = try bytes.withRawSpan { try HookOrder.decode($0) }
        #expect(order == Self.order())
        #expect(Array(bytes[authtok]) == [1, 2, 3])
        for count in 0..<bytes.count {
            #expect(throws: WireError.self) { try Array(bytes.prefix(count)).withRawSpan { try HookOrder.decode($0) } }
        }
        #expect(throws: WireError.trailingBytes) { try (bytes + [0]).withRawSpan { try HookOrder.decode($0) } }
    }

    @Test("Damaged orders are decoded or refused, every single damaged byte")
    func damaged() throws {
        let bytes = try encoded(Self.order())
        var refused = 0
        for index in bytes.indices {
            for value in UInt8.min...UInt8.max {
                var copy = bytes
                copy[index] = value
                guard let (order, authtok) = try? copy.withRawSpan({ try HookOrder.decode($0) }) else {
                    refused += 1
                    continue
                }
                #expect(HookOrder.isProgramPath(order.program) && authtok.upperBound <= copy.count)
            }
        }
        #expect(refused > bytes.count)
    }

    @Test("The largest order that a module can make fits into one write")
    func largest() throws {
        let size = HookOrder.variablesBytes / HookOrder.variables
        let order = HookOrder(
            program: Array(("/" + String(repeating: "p", count: 254)).utf8), user: Array(repeating: 0x75, count: 255),
            seconds: 3_600, environment: Array(repeating: Array(repeating: 0x41, count: size), count: 32))
        let bytes = try encoded(order, Array(repeating: 0xFF, count: PAMLimits.credentialBytes))
        #expect(try bytes.withRawSpan { try HookOrder.decode($0).order } == order)
    }

    @Test(
        "What no module sends is refused",
        arguments: [
            order { $0.program = Array("relative".utf8) }, order { $0.program = Array("/a\0b".utf8) },
            order { $0.program = Array("/a/".utf8) }, order { $0.user = [] }, order { $0.user = [0x61, 0] },
            order { $0.seconds = 0 }, order { $0.seconds = 3_601 }, order { $0.environment = [[0x41, 0x3D, 0]] },
            order { $0.environment = Array(repeating: [0x41], count: 33) },
        ])
    func refused(order: HookOrder) throws {
        let bytes = try encoded(order)
        #expect(throws: WireError.self) { try bytes.withRawSpan { try HookOrder.decode($0) } }
        let empty = try encoded(Self.order(), [])
        #expect(throws: WireError.self) { try empty.withRawSpan { try HookOrder.decode($0) } }
    }
}
