import Testing

@testable import SecureChannel

@Suite("First message and prologue")
struct FirstMessageTests {
    private let message1 = [UInt8](repeating: 7, count: 96)
    private let codeID = [UInt8](0..<8)

    @Test("Both kinds of first message come out as they went in")
    func roundTrip() throws {
        let channel = FirstMessage.channel(message1: message1)
        #expect(channel.bytes == [1] + message1)
        #expect(try FirstMessage(parsing: channel.bytes) == channel)
        let enrol = FirstMessage.enrol(codeID: codeID, message1: message1)
        #expect(enrol.bytes == [2] + codeID + message1)
        #expect(try FirstMessage(parsing: enrol.bytes) == enrol)
    }

    @Test("Any other first byte or length is refused")
    func malformed() {
        for kind: UInt8 in [0, 1, 2, 3, 0xFF] {
            for count in [0, 1, 8, 95, 96, 97, 103, 104, 105, 512] {
                let isValid = (kind == 1 && count == 96) || (kind == 2 && count == 104)
                let bytes = [kind] + [UInt8](repeating: 0, count: count)
                #expect(((try? FirstMessage(parsing: bytes)) != nil) == isValid)
            }
        }
        #expect(throws: HandshakeError.wrongLength) { try FirstMessage(parsing: []) }
    }

    @Test(
        "A request for the site document is one byte, alone or in front of a document, and no first message of a handshake"
    )
    func documentRequest() {
        #expect(DocumentRequest().bytes == [3] && DocumentRequest(parsing: [3]) == DocumentRequest())
        for (count, isValid) in [(161, false), (162, true), (818, true), (819, false)] {
            let document = [UInt8](repeating: 7, count: count)
            let request = DocumentRequest(parsing: [3] + document)
            #expect(request == (isValid ? DocumentRequest(showing: document) : nil))
        }
        for bytes: [UInt8] in [[], [1], [3, 3], [4] + [UInt8](repeating: 7, count: 162)] {
            #expect(DocumentRequest(parsing: bytes) == nil)
        }
        #expect((try? FirstMessage(parsing: DocumentRequest().bytes)) == nil)
    }

    @Test("The prologue has its documented layout")
    func prologueLayout() {
        let prologue = HandshakePrologue.enrol(binding: [2, 1, 2], identity: [0xAA, 0xBB], codeID: codeID)
        #expect(prologue.bytes == [UInt8]("boxlink/2".utf8) + [2, 2, 0, 2, 0xAA, 0xBB, 1, 2] + codeID)
        let channel = HandshakePrologue.channel(binding: [1, 0, 0], identity: [])
        #expect(channel.bytes == [UInt8]("boxlink/2".utf8) + [1, 1, 0, 0, 0, 0])
    }

    @Test("Prologues that differ in any field differ in their bytes")
    func prologuesDiffer() {
        let identities: [[UInt8]] = [[], [1], [1, 0], [0, 1]]
        var seen: Set<[UInt8]> = []
        var count = 0
        for identity in identities {
            for binding: [UInt8] in [
                [1, 0, 0], [1, 0, 1], [1, 1, 0], [2, 0, 0], [2, 0, 1], [2, 1, 0], [3], [3, 0], [3, 1],
                [3] + [UInt8](0..<8),
            ] {
                seen.insert(HandshakePrologue.channel(binding: binding, identity: identity).bytes)
                for code in [codeID, [UInt8](1..<9)] {
                    seen.insert(HandshakePrologue.enrol(binding: binding, identity: identity, codeID: code).bytes)
                }
                count += 3
            }
        }
        #expect(seen.count == count)
    }
}
