import ControlProtocol
import Secrets
import SiteControl
import SiteCore
import SiteSetup
import SiteStore
import SiteTrust

/// Issuers and site documents, for administrators.
extension SiteControlConnection {
    private static let day: UInt64 = 86_400

    func sayDocument() async throws(SiteStoreError) {
        guard let newest = try await server.store.documents().last else { throw .noSite }
        await say(.document(text: String(decoding: SiteDocumentCode(newest).text, as: UTF8.self)))
    }

    /// Returns false after it has reported the problem.
    func newIssuers(days: UInt64, replacing: Bool) async throws(SiteStoreError) -> Bool {
        let documents = try await server.store.documents()
        guard let time = await server.ask({ machine, now in machine.seconds(now: now) }), days > 0 else {
            await say(
                .failure(
                    .busy, what: "the time from which the keys are valid is unknown", cure: "see boxsite status"
                ))
            return false
        }
        do throws(IssuerFiles.Problem) {
            let made = try await server.makeIssuers(replacing: replacing, documents, time: time)
            let issuers = made.keys.compactMap {
                SiteIssuer(role: $0.role, key: $0.publicKey, expiry: time + days * Self.day)
            }
            guard let request = SiteIssuerRequest(site: server.site, issuers: issuers) else {
                await say(.failure(.fault, what: "cannot make a request from \(made.file)", cure: ""))
                return false
            }
            if made.areNew {
                let ids = request.issuers.map { "\($0.role) \($0.keyID.text)" }.joined(separator: ", ")
                await server.tried("record that issuers were made") {
                    try await $0.note("issuers new", by: actor, made.file + ": " + ids)
                }
            }
            await say(
                .issuers(
                    request: String(decoding: request.text, as: UTF8.self), file: made.file, areNew: made.areNew))
            return true
        } catch {
            await say(Self.failure(error))
            return false
        }
    }

    private static func failure(_ problem: IssuerFiles.Problem) -> SiteReply {
        switch problem {
        case .file(let error): .failure(.fault, what: ControlLimits.cut("\(error)"), cure: "")
        case .bothListed:
            .failure(
                .invalid, what: "the site document lists valid keys of both files, issuers.key and issuers-2.key",
                cure: "first have the root sign a document without the older keys: boxsite root sign --drop KEYID")
        }
    }

    /// Publishes a document and returns the outcome, even if the document was published before.
    func publish(_ text: String) async throws(SiteStoreError) -> SiteReply {
        let document: ClaimedSiteDocument
        do throws(SiteTextError) {
            document = try SiteDocumentCode(parsing: Array(text.utf8)).document
        } catch {
            return .failure(.invalid, what: error.whatIsWrong("a site document", "boxsite-document:1/"), cure: "")
        }
        let (time, doubt) = await server.ask { machine, now in
            (machine.seconds(now: now), machine.doubtOfAll(now: now))
        }
        guard let time else {
            return .failure(
                .busy, what: ControlLimits.cut("cannot sign now: \(doubt ?? "")"),
                cure: "see boxsite status")
        }
        let done = try await server.publish(document, time: time, by: actor)
        return .done(text: Self.words(done))
    }

    private static func words(_ done: SitePublication) -> String {
        let name = "site document \(done.facts.version.text)"
        guard done.isNew else { return "\(name) is already published" }
        var text = "published \(name)"
        if done.beginsGeneration { text += ", which starts generation \(done.facts.generation.text)" }
        if done.signedAnew > 0 { text += "; \(done.signedAnew) entries are signed again" }
        if done.leftOut > 0 {
            text += "; \(done.leftOut) entries from boxes, signed by a dropped issuer, are not carried over"
        }
        return text
    }
}
