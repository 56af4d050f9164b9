import ArgumentParser
import CommandTool
import EventLoop
import SiteControl
import SiteLink
import TextOutput

/// Fingerprints that an administrator gives.
enum Fingerprints {
    static func read(_ texts: [String]) throws -> [[UInt8]] {
        var found: [[UInt8]] = []
        for text in texts {
            guard let fingerprint = BoxFingerprint(text) else {
                throw SiteCommandFailure(
                    .usage,
                    "\"\(Printable.text(text))\" is not a fingerprint; use the 26 letters and digits that boxagent "
                        + "join shows"
                )
            }
            found.append(fingerprint.bytes)
        }
        guard found.count <= BulkWish.fingerprintLimit else {
            throw SiteCommandFailure(.usage, "at most \(BulkWish.fingerprintLimit) fingerprints at a time")
        }
        return found
    }

    /// Reads one fingerprint from each line. Text after a space is a remark.
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
        commandName: "approve", abstract: "Approve boxes that joined with a bulk code.",
        discussion: """
            Compare each fingerprint with the one that `boxagent join` showed at that box: anyone who has the code \
            could have joined with a box of their own. All boxes that you name are approved, or none. Then run \
            boxagent join at each box again, with the same code.
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
        commandName: "reject", abstract: "Reject boxes that joined with a bulk code, for good.",
        discussion: "They still count as boxes of that code, and their keys cannot join with it again.")

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
        commandName: "codes", abstract: "List the bulk codes, their boxes and how long they are valid."
    )

    @OptionGroup var server: ServerOptions
    @OptionGroup var listing: ListingOptions

    func perform(_ terminal: Terminal) throws {
        let found = Guarded<[BulkCodeListing]>([])
        _ = try ServerConversation.ask(.bulk(BulkWish(.codes)), at: server.socket) { reply, _ in
            if case .bulkCode(let code) = reply { found.withLock { $0.append(code) } }
        }
        let codes = found.withLock { $0 }
        if listing.json { return terminal.sayWhole(JSONValue.list(codes.map(Self.json)).line) }
        guard !codes.isEmpty else {
            return terminal.say(
                "no bulk codes; make one with: boxsite box add NAME --bulk COUNT --until DAY", to: .error)
        }
        let rows = codes.map { code in
            [
                Printable.text(code.id), Printable.text(code.name), code.groups.map { "\($0)" }.joined(separator: ","),
                "\(code.taken) of \(code.places)", Timestamp.local(code.until), code.isRevoked ? "revoked" : "valid",
            ]
        }
        TextTable.lines(
            [["CODE", "NAME", "GROUPS", "JOINED", "UNTIL", "STATE"]] + rows, width: terminal.columns, flexible: [1]
        ).forEach { terminal.sayWhole($0) }
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
        commandName: "revoke-code", abstract: "Revoke a bulk code, so that no box can join with it.",
        discussion: "Boxes that wait for approval are rejected. Approved boxes stay.")

    @Argument(help: "The code's id, as in boxsite box codes.")
    var code: String
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        var wish = BulkWish(.revoke)
        wish.code = UInt64(code, radix: 16).map { value in
            (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
        }
        guard code.utf8.count == 16, wish.code != nil else {
            throw SiteCommandFailure(.usage, "the id of a code must be 16 hexadecimal digits")
        }
        terminal.say(try ServerConversation.ask(.bulk(wish), at: server.socket))
    }
}
