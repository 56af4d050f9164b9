import ArgumentParser
import CommandTool
import EventLoop
import SiteControl
import SiteLink
import TextOutput

/// Fingerprints that an administrator names.
enum Fingerprints {
    static func read(_ texts: [String]) throws -> [[UInt8]] {
        var found: [[UInt8]] = []
        for text in texts {
            guard let fingerprint = BoxFingerprint(text) else {
                throw SiteCommandFailure(
                    .usage,
                    "\(Printable.text(text)) is no fingerprint: that has 26 letters and digits, as boxagent join says it"
                )
            }
            found.append(fingerprint.bytes)
        }
        guard found.count <= BulkWish.fingerprintLimit else {
            throw SiteCommandFailure(.usage, "at most \(BulkWish.fingerprintLimit) fingerprints at a time")
        }
        return found
    }

    /// One a line; what stands behind a space is for people.
    static func file(_ path: String) throws -> [[UInt8]] {
        let bytes = try TextFile.read(path, limit: 65_536)
        let words = bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }.first.map { String(decoding: $0, as: UTF8.self) }
        }
        return try read(words)
    }
}

struct BoxApproveCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Take in boxes that came with a bulk code.",
        discussion: """
            Compare each fingerprint with what `boxagent join` said at that box: whoever has the code could be there with a box \
            of their own. All that are named are taken in, or none. Then run boxagent join at the box once more, with the same code.

            Example:
              boxsite box approve 5f60w936fm343d54p89gv0z3f4
            """)

    @Argument(help: "Fingerprints, 26 letters and digits each.")
    var fingerprint: [String]
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        var wish = BulkWish(.approve)
        wish.fingerprints = try Fingerprints.read(fingerprint)
        _ = try ServerConversation.ask(.bulk(wish), at: server.socket) { reply, _ in
            guard case .box(let box) = reply else { return }
            terminal.say("box \(Printable.text(box.name)), number \(Printable.text(box.number))")
        }
    }
}

struct BoxRejectCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "reject", abstract: "Turn away boxes that came with a bulk code, for good.",
        discussion: "Their places stay taken, and their keys never come again with that code.")

    @Argument(help: "Fingerprints, 26 letters and digits each.")
    var fingerprint: [String]
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        var wish = BulkWish(.reject)
        wish.fingerprints = try Fingerprints.read(fingerprint)
        _ = try ServerConversation.ask(.bulk(wish), at: server.socket)
    }
}

struct BoxCodesCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "codes", abstract: "List bulk codes: their ids, how many boxes may come and have come, until when."
    )

    @OptionGroup var server: ServerOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws {
        let found = Guarded<[BulkCodeListing]>([])
        _ = try ServerConversation.ask(.bulk(BulkWish(.codes)), at: server.socket) { reply, _ in
            if case .bulkCode(let code) = reply { found.withLock { $0.append(code) } }
        }
        let codes = found.withLock { $0 }
        if listing.json { return terminal.say(JSONValue.list(codes.map(Self.json)).line) }
        let rows = codes.map { code in
            [
                Printable.text(code.id), Printable.text(code.name), code.groups.map { "\($0)" }.joined(separator: ","),
                "\(code.taken) of \(code.places)", Timestamp.local(code.until), code.isRevoked ? "taken back" : "",
            ]
        }
        for line in TextTable.lines([["CODE", "NAME", "GROUPS", "CAME", "UNTIL", ""]] + rows) { terminal.say(line) }
    }

    private static func json(_ code: BulkCodeListing) -> JSONValue {
        .record([
            ("id", .text(code.id)), ("name", .text(code.name)),
            ("groups", .list(code.groups.map { .number(UInt64($0)) })), ("places", .number(code.places)),
            ("taken", .number(code.taken)), ("until", .text(Timestamp.universal(code.until))),
            ("revoked", .flag(code.isRevoked)),
        ])
    }
}

struct BoxRevokeCodeCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke-code", abstract: "Take back a bulk code: nobody comes with it any more.",
        discussion: "Boxes that wait are turned away. Those that were approved stay.")

    @Argument(help: "The code's id, as boxsite box codes lists it.")
    var code: String
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        var wish = BulkWish(.revoke)
        wish.code = UInt64(code, radix: 16).map { value in
            (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
        }
        guard code.utf8.count == 16, wish.code != nil else {
            throw SiteCommandFailure(.usage, "a code's id has 16 hexadecimal digits")
        }
        terminal.say(try ServerConversation.ask(.bulk(wish), at: server.socket))
    }
}
