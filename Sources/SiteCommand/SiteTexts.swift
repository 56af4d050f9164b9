import CommandTool
import Glibc
import SiteSetup
import SiteTrust
import TextOutput

/// A small file with a text that is not secret.
enum TextFile {
    /// Reads at most `limit` bytes. `-` is standard input.
    static func read(_ path: String, limit: Int = 4_096) throws -> [UInt8] {
        let file = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw SiteCommandFailure(
                .invalid, "\(Printable.text(path)): cannot be opened: \(String(cString: strerror(errno)))")
        }
        defer { if file != STDIN_FILENO { close(file) } }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var length = 0
        while length < bytes.count {
            // SAFETY: `length` is below the buffer's count, and the call writes at most what is left of it.
            let count = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(file, buffer.baseAddress.map { $0 + length }, buffer.count - length)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw SiteCommandFailure(
                    .invalid, "\(Printable.text(path)): cannot be read: \(String(cString: strerror(errno)))")
            }
            guard count > 0 else { break }
            length += count
        }
        guard length <= limit else {
            throw SiteCommandFailure(
                .invalid, "\(Printable.text(path)) is longer than \(limit) bytes")
        }
        return [UInt8](bytes.prefix(length))
    }
}

/// The texts that go between a server and the root's key, and the messages about their faults.
enum SiteTexts {
    static func document(_ text: [UInt8]) throws -> ClaimedSiteDocument {
        do throws(SiteTextError) {
            return try SiteDocumentCode(parsing: text).document
        } catch {
            throw failure(error, "a site document", "boxsite-document:1/")
        }
    }

    static func request(_ text: [UInt8]) throws -> SiteIssuerRequest {
        do throws(SiteTextError) {
            return try SiteIssuerRequest(parsing: text)
        } catch {
            throw failure(error, "a request to list issuers", "boxsite-issuers:1/")
        }
    }

    private static func failure(_ error: SiteTextError, _ name: String, _ prefix: String) -> SiteCommandFailure {
        SiteCommandFailure(.invalid, error.whatIsWrong(name, prefix))
    }

    /// Passes the result of `body`, which needs a root's key, to `then`. Turns a root's error into a command's failure.
    static func reading<Value>(
        _ body: () throws(RootSigningError) -> Value, then: (Value) throws -> Void
    ) throws {
        let value: Value
        do throws(RootSigningError) {
            value = try body()
        } catch {
            throw SiteCommandFailure(.invalid, Printable.text(words(error)))
        }
        try then(value)
    }

    /// Signs the draft. Only the document's text goes to standard output, so that it can be piped.
    static func say(_ signing: RootSigning, _ draft: SiteDocumentDraft, _ terminal: Terminal) throws {
        try reading {
            () throws(RootSigningError) in
            try signing.sign(draft)
        } then: { document in
            terminal.sayWhole(String(decoding: SiteDocumentCode(document.claimed).text, as: UTF8.self))
            terminal.say("Signed. At a server, run: boxsite document publish FILE", to: .error)
        }
    }

    private static func words(_ error: RootSigningError) -> String {
        switch error {
        case .file(let error): "\(error)"
        case .document(.otherRoot):
            "this root key did not sign this document; perhaps you gave the next root key by mistake"
        case .document(let error): "this document \(error)"
        case .sameKey(let path): "\(path) has the key of a current root; name a new file for the new next root"
        case .draft(let error): words(error)
        }
    }

    private static func words(_ error: SiteDraftError) -> String {
        switch error {
        case .otherSite: "the request and the document are from different sites"
        case .noSuchIssuer(let text):
            "the document lists no issuer \(text); list the issuers with: boxsite document show"
        case .manyIssuers(let text): "several issuers have a key id that begins with \(text); give more of it"
        case .listedAlready(let id):
            "the document already lists \(id.text); check whether this request was signed before"
        case .nobodyFor(let role):
            "no issuer would be left for \(role); add new issuers with: boxsite issuers new"
        case .tooMany(let count):
            "the document would have \(count) issuers, but the limit is \(SiteDocumentFacts.issuerLimit); remove "
                + "old ones with --drop"
        case .nothingChanges:
            "nothing would change; name a request with new issuers, or use --drop or --generation"
        case .otherRoot: "this is not the key of this document's next root"
        case .noMoreVersions: "this root has signed as many documents as it can; continue with: boxsite root succeed"
        }
    }
}

/// Site documents in words.
enum DocumentText {
    static func lines(_ facts: SiteDocumentFacts) -> [String] {
        let head = [
            ["site", Hex.text(facts.site.bytes)],
            ["site document", "root \(facts.version.root), version \(facts.version.count)"],
            ["generation", "\(facts.generation.count)"],
        ]
        return TextTable.lines(head) + issuers(facts.issuers.map { ($0, "") })
    }

    /// Lists the issuers in a request.
    static func requested(_ request: SiteIssuerRequest) -> [String] { issuers(request.issuers.map { ($0, "") }) }

    /// Lists the changes to issuers and generation.
    static func changes(from old: SiteDocumentFacts, _ draft: SiteDocumentDraft) -> [String] {
        let new = draft.facts
        var lines = ["Site \(Hex.text(new.site.bytes)): document \(old.version.text) becomes \(new.version.text)."]
        if new.rootKey != old.rootKey {
            lines.append(
                "The next root takes over. Everything that the old root has signed or will sign is no longer valid.")
        }
        if draft.beginsGeneration {
            lines.append(
                "Generation \(new.generation.text) starts: entries are numbered anew; boxes forget the site's time.")
        }
        return lines + issuers(draft.fates.map { ($0.issuer, words($0.fate)) })
    }

    private static func issuers(_ listed: [(issuer: SiteIssuer, words: String)]) -> [String] {
        let rows = listed.map { issuer, words in
            ["\(issuer.role)", issuer.keyID.text, "until " + Timestamp.local(issuer.expiry), words]
        }
        return TextTable.lines(rows)
    }

    private static func words(_ fate: SiteDocumentDraft.Fate) -> String {
        switch fate {
        case .added: "added"
        case .stays: "stays"
        case .ends: "left out: it has expired"
        case .dropped: "dropped: what it has signed is no longer valid"
        }
    }
}
