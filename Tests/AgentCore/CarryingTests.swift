import PhoneMessages
import SiteLink
import Testing
import World

@testable import AgentCore

extension SiteMachine {
    /// Connects an unknown phone that asks the box to carry its messages.
    @discardableResult
    mutating func carries(on number: UInt64) -> Said {
        come([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 32), on: number)
        return hello(nil, .siteEnrolment, on: number)
    }

    @discardableResult
    mutating func says(_ request: PhoneRequest, on number: UInt64, id: UInt32 = 2) -> Said {
        feed(.phone(Sample.channel(number), .asked(PhoneRequestMessage(id: testRequest(id), request: request))))
    }

    mutating func site(_ message: MessageFromSite) -> Said { feed(.site(link, .said(message))) }

    func number(_ value: UInt32) throws -> CarryNumber { try #require(CarryNumber(rawValue: value)) }

    func carried(_ value: UInt32, _ bytes: [UInt8]) throws -> CarriedMessage {
        try #require(CarriedMessage(carry: number(value), message: bytes))
    }
}

extension Said {
    fileprivate var toSite: [MessageToSite] {
        effects.flatMap { effect -> [MessageToSite] in
            guard case .site(_, .say(let messages)) = effect else { return [] }
            return messages
        }
    }

    fileprivate var isCarried: Bool {
        toPhones.contains {
            if case .hello(_, _, let capabilities) = $0.message { capabilities == .siteEnrolment } else { false }
        }
    }
}

@Suite("What a box carries between a phone and its site")
struct CarryingTests {
    @Test("Messages are handed on both ways as they are, nothing is written down, and the end is handed on")
    func handedOn() throws {
        var box = try SiteMachine()
        let before = box.commands.count
        #expect(box.carries(on: 1).isCarried)
        #expect(box.says(.carry([1, 2]), on: 1).toSite == [.carry(try box.carried(1, [1, 2]))])
        #expect(box.says(.carry([3]), on: 1, id: 3).toSite == [.carry(try box.carried(1, [3]))])
        let said = box.site(.carried(try box.carried(1, [9])))
        #expect(said.toPhones.map(\.message) == [.carried([9])] && said.toPhones.first?.channel == Sample.channel(1))
        #expect(box.site(.carryEnded(try box.number(1))).finished == [.carryOver])
        #expect(box.commands.count == before)
        // The box ignores all later messages with that carry number.
        #expect(box.site(.carried(try box.carried(1, [9]))).toPhones.isEmpty)
    }

    @Test("A box without a link to its site, or of none, says so, and the channel ends")
    func cutOff() throws {
        var box = try SiteMachine()
        box.feed(.site(box.link, .ended(.dropped, random: 1)))
        let said = box.carries(on: 1)
        #expect(said.results == [.boxCutOff] && said.finished == [.grantRefused] && !said.isCarried)
    }

    @Test("When the link ends, so does all that it carried; another link begins anew")
    func linkEnds() throws {
        var box = try SiteMachine()
        box.carries(on: 1)
        box.says(.carry([1]), on: 1)
        box.carries(on: 2)
        #expect(box.feed(.site(box.link, .ended(.dropped, random: 1))).finished == [.carryOver, .carryOver])
        #expect(box.says(.carry([2]), on: 1, id: 3).toSite.isEmpty)
    }

    @Test("Nothing but messages to carry is heard on that channel, and the phone is no device")
    func nothingElse() throws {
        for request in [PhoneRequest.status, .ping([1]), .lock, .enrolment, .hello(versions: [2], capabilities: [])] {
            var box = try SiteMachine()
            box.carries(on: 1)
            let said = box.says(request, on: 1)
            #expect(said.finished == [.protocolViolation] && said.toPhones.isEmpty)
            #expect(box.machine.phones.authenticatedCount == 0)
        }
        var box = try SiteMachine()
        box.visit(try ModelSite.grant())
        #expect(box.says(.carry([1]), on: 1).results == [.badRequest], "a device asks its box")
    }

    @Test("Four at once, twenty within a minute; a phone that goes gives its place back")
    func bounded() throws {
        var box = try SiteMachine()
        for number in UInt64(1)...4 { #expect(box.carries(on: number).isCarried) }
        #expect(box.carries(on: 5).results == [.busy])
        for number in UInt64(1)...4 { box.leave(number) }
        var opened = 4
        for number in UInt64(10)..<40 {
            if box.carries(on: number).isCarried { opened += 1 }
            box.leave(number)
        }
        #expect(opened == SiteCarries.opensLimit)
        box.now.sinceBoot += SiteCarries.window
        #expect(box.carries(on: 90).isCarried)
    }

    @Test("Whoever says nothing, or is not answered, is cut off; whoever is answered waits for an hour")
    func times() throws {
        var box = try SiteMachine()
        box.carries(on: 1)
        box.now.sinceBoot += SiteCarries.firstWithin
        #expect(box.feed(.timeHasCome).finished == [.carryOver])
        box.carries(on: 2)
        box.says(.carry([1]), on: 2)
        box.now.sinceBoot += SiteCarries.answerWithin
        let said = box.feed(.timeHasCome)
        let ended = try box.number(1)
        #expect(said.finished == [.carryOver] && said.toSite == [.endCarry(ended)])
        box.carries(on: 3)
        box.says(.carry([1]), on: 3)
        _ = box.site(.carried(try box.carried(2, [1])))
        box.now.sinceBoot += .seconds(600)
        #expect(box.feed(.timeHasCome).finished.isEmpty)
        box.now.sinceBoot += SiteCarries.longest
        #expect(box.feed(.timeHasCome).finished.contains(.carryOver))
    }

    @Test("A phone that sends without end is cut off, and so is a site")
    func flood() throws {
        var box = try SiteMachine()
        box.carries(on: 1)
        for id in 2..<UInt32(SiteCarries.messageLimit + 2) {
            #expect(box.says(.carry([1]), on: 1, id: id).toSite.count == 1)
        }
        let last = box.says(.carry([1]), on: 1, id: 99)
        let more = try box.carried(1, [1])
        #expect(last.finished == [.carryOver] && !last.toSite.contains(.carry(more)))
        box.carries(on: 2)
        box.says(.carry([1]), on: 2)
        for _ in 0..<SiteCarries.messageLimit {
            #expect(box.site(.carried(try box.carried(2, [1]))).toPhones.count == 1)
        }
        #expect(box.site(.carried(try box.carried(2, [1]))).toPhones.isEmpty)
    }

    @Test("Phones that are carried take no place from those that log in")
    func loginsGoOn() throws {
        var box = try SiteMachine()
        for number in UInt64(1)...4 { box.carries(on: number) }
        for number in UInt64(10)...12 {
            box.come([UInt8](repeating: UInt8(number), count: 32), on: number)
        }
        #expect(box.visit(try ModelSite.grant(), on: 20).isLetIn)
    }

    @Test("A box that leaves its site ends what it carried")
    func leaves() throws {
        var box = try SiteMachine()
        box.carries(on: 1)
        box.says(.carry([1]), on: 1)
        let said = box.feed(.control(Sample.control(9), .asks(.leaveSite, Sample.root)))
        #expect(said.finished.contains(.carryOver))
    }
}
