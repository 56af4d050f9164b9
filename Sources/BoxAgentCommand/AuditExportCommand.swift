import ControlProtocol
import ArgumentParser
import AuditLog
import CommandTool
import Names
import TextOutput

struct AuditExportCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the audit log to a file that can be verified without the box.",
        discussion: """
            The open segment is closed and signed first, so that the file is complete. Chain and signatures are \
            verified during the export. A file always has the whole log, because a part of it could not be verified. \
            For the same reason it keeps each user's name as it was written.
            The format is described in /usr/share/doc/boxagent/reference/audit.md.

            Examples:
              boxagent audit export record.txt
              boxagent audit export | gzip > record.txt.gz
            """)

    @Argument(help: "A new file. The default is standard output.")
    var path: String?
    @OptionGroup var agent: AgentOptions

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        var conversation = try Conversation(socket: agent.socket)
        let output = try path.map { (path) throws(CommandFailure) in try NewFile(path) }
        do {
            let summary = try Self.write(from: &conversation) { (line) throws(CommandFailure) in
                if let output { try output.write(line) } else { terminal.sayWhole(line) }
            }
            try output?.finish()
            guard let path else { return }
            terminal.say("\(Printable.text(path)): \(AuditFile.text(summary))")
        } catch {
            output?.discard()
            throw error
        }
    }

    /// Requests the whole log and passes on its lines.
    static func write(
        from conversation: inout Conversation, to write: (String) throws(CommandFailure) -> Void
    ) throws(CommandFailure) -> AuditExportSummary {
        var check = AuditExportCheck()
        func put(_ line: String) throws(CommandFailure) {
            do {
                try check.take(Array(line.utf8))
            } catch {
                throw CommandFailure(
                    .negative, "the audit log is not intact: \(AuditFile.text(error))",
                    cure: "run 'boxagent audit --verify' and compare with the hashes in the journal")
            }
            try write(line)
        }
        var page = try conversation.auditSegments(after: 0, sealing: true)
        for line in AuditExport.opening(authority: page.authority, box: page.box) { try put(line) }
        var count: UInt64 = 0
        while let last = page.segments.last {
            for segment in page.segments {
                try put(AuditExport.opening(of: segment))
                let entries = try conversation.auditEntries(
                    after: segment.previous.number, limit: segment.lastEntry - segment.previous.number)
                for entry in entries { try put(AuditExport.line(try AuditEntry(entry))) }
                try put(AuditExport.closing(of: segment))
                count += 1
            }
            page = try conversation.auditSegments(after: last.number, sealing: false)
        }
        try put(AuditExport.closing(segments: count))
        do {
            return try check.finish()
        } catch {
            throw CommandFailure(.malformed(.unknownMessage))
        }
    }
}

/// One page of segments, and the keys of their signer.
struct AuditSegmentPage {
    var segments: [AuditSegment] = []
    var authority: [UInt8] = []
    var box: [UInt8] = []
}

extension Conversation {
    mutating func auditSegments(after: UInt64, sealing: Bool) throws(CommandFailure) -> AuditSegmentPage {
        var page = AuditSegmentPage()
        _ = try ask(.auditSegments(after: after, sealing: sealing), within: .seconds(120)) { reply in
            switch reply {
            case .auditSegment(let listing): page.segments.append(AuditSegment(listing))
            case .auditSigner(let authority, let box): (page.authority, page.box) = (authority, box)
            default: break
            }
        }
        guard page.authority.count == 32, page.box.count == 32 else {
            throw CommandFailure(.malformed(.unknownMessage))
        }
        return page
    }
}

extension AuditSegment {
    /// The decoder has checked that the first entry is 1 or more.
    init(_ listing: AuditSegmentListing) {
        self.init(
            number: listing.number,
            previous: AuditHead(number: listing.firstEntry - 1, hash: listing.previous),
            head: AuditHead(number: listing.lastEntry, hash: listing.head),
            fromSeconds: Int64(clamping: listing.fromUnixSeconds), toSeconds: Int64(clamping: listing.toUnixSeconds),
            signature: listing.signature)
    }
}

extension AuditEntry {
    init(_ listing: AuditListing) throws(CommandFailure) {
        var device: [UInt8]?
        if let text = listing.device {
            guard let bytes = CrockfordBase32.bytes(text) else { throw CommandFailure(.malformed(.unknownMessage)) }
            device = bytes
        }
        self.init(
            number: listing.number, unixSeconds: Int64(clamping: listing.unixSeconds), event: listing.event,
            user: listing.user, device: device, detail: listing.detail, actor: listing.actor.map { AuditActor($0) })
    }
}

extension AuditActor {
    init(_ listing: ActorListing) {
        let kind: Kind =
            switch listing.kind {
            case .agent: .agent
            case .phone: .phone
            case .person: .person
            case .program: .program
            }
        self.init(kind: kind, name: listing.name, place: listing.place, uid: listing.uid.map { UInt32(clamping: $0) })
    }
}
