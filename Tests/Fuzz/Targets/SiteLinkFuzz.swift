import Secrets
import SecureChannel
import SiteLink
import SiteTrust

/// Any bytes that a box or a server of its site may receive. The first byte chooses how to read the others.
enum SiteLinkFuzz {
    static let entry: FuzzEntry = { data, count in
        let bytes = input(data, count)
        guard let kind = bytes.first else { return 0 }
        let rest = [UInt8](bytes.dropFirst())
        switch kind {
        case 0: greeting(rest)
        case 1: toSite(rest)
        case 2: fromSite(rest)
        case 3: joinCode(rest)
        case 4: frames(rest)
        case 5: strangers(rest)
        case 6: enrolmentCode(rest)
        case 7: carried(rest)
        case 8: bundle(rest)
        default: conversation(rest)
        }
        return 0
    }

    private static func greeting(_ bytes: [UInt8]) {
        guard let greeting = try? SiteGreeting(parsing: bytes) else { return }
        let again = [SiteGreeting.version] + greeting.certificate.bytes + greeting.document.bytes
        promise(again == bytes && greeting.bytes == bytes, "a greeting does not come out as it went in")
        promise(bytes.count <= SiteFrames.openingLimit, "a greeting that no frame carries")
        var (pin, tally) = (site.pin, SignatureTally())
        promise((try? pin.take(greeting.document, tally: &tally)) == nil, "a forged document was taken")
        promise((try? greeting.certificate.verify(pin, at: 0, tally: &tally)) == nil, "a forged server was believed")
        promise(tally.count <= 2, "more than two signatures were looked at")
    }

    private static func toSite(_ bytes: [UInt8]) {
        guard let message = try? MessageToSite(parsing: bytes) else { return }
        promise(message.bytes == bytes, "a message to a site does not come out as it went in")
        guard case .entries(let entries) = message else { return }
        promise((1...MessageToSite.entryLimit).contains(entries.count), "a message with too many entries")
    }

    private static func fromSite(_ bytes: [UInt8]) {
        guard let message = try? MessageFromSite(parsing: bytes) else { return }
        promise(message.bytes == bytes, "a message from a site does not come out as it went in")
        guard case .entries(let entries) = message else { return }
        promise((1...MessageToSite.entryLimit).contains(entries.count), "a message with too many entries")
    }

    private static func joinCode(_ bytes: [UInt8]) {
        guard let code = try? JoinCode(parsing: SecretBytes(copying: bytes)) else { return }
        promise(
            (1...SiteAddressList.limit).contains(code.servers.count), "a join code without servers, or with too many")
        let text = code.format().withBytes { [UInt8](copying: $0) }
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let end = bytes.lastIndex { !isSpace($0) } ?? 0
        promise(text == [UInt8](bytes[...end].drop(while: isSpace)), "a join code does not come out as it went in")
    }

    private static func enrolmentCode(_ bytes: [UInt8]) {
        guard let code = try? SiteEnrolmentCode(parsing: SecretBytes(copying: bytes)) else { return }
        let text = code.format().withBytes { [UInt8](copying: $0) }
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let end = bytes.lastIndex { !isSpace($0) } ?? 0
        promise(text == [UInt8](bytes[...end].drop(while: isSpace)), "a code does not come out as it went in")
        promise(text.count == SiteEnrolmentCode.byteCount, "a code of another length")
    }

    /// Messages that any phone near a box may have carried. They prove nothing, and must not cause a database query.
    private static func carried(_ bytes: [UInt8]) {
        guard let keys = try? SiteServerKeys(staticKey: X25519KeyPair(), siteSecret: SecretBytes(randomCount: 32))
        else {
            return
        }
        let end = SiteEnrolmentEnd(keys, site: [UInt8](repeating: 1, count: 16))
        for message in pieces(bytes) {
            for event in end.receive(message, now: .zero) {
                promise(event == .ended, "a stranger without the code's secret was answered")
            }
        }
    }

    /// Returns the bytes after the first in pieces. The first byte gives the pieces' length.
    private static func pieces(_ bytes: [UInt8]) -> [[UInt8]] {
        let (length, stream) = (max(Int(bytes.first ?? 0), 1), bytes.dropFirst())
        return stride(from: stream.startIndex, to: stream.endIndex, by: length).map {
            [UInt8](stream[$0..<min($0 + length, stream.endIndex)])
        }
    }

    private static func frames(_ bytes: [UInt8]) {
        var (frames, again): (SiteFrames, [UInt8]) = (SiteFrames(), [])
        for piece in pieces(bytes) {
            frames.add(piece)
            do throws(SiteLinkError) {
                while let message = try frames.next() { again += SiteFrames.frame(message) }
            } catch {
                promise(frames.keptBytes == 0, "something is kept of a stream that is of no use")
                break
            }
            promise(frames.keptBytes < 2 + SiteFrames.openingLimit, "more is kept than one message")
        }
        promise(bytes.dropFirst().starts(with: again), "frames do not come out as they went in")
    }

    /// A bundle with changes. The reader must return the bundle's contents, within its bounds.
    private static func bundle(_ bytes: [UInt8]) {
        var (reader, again) = (SiteBundleReader(), SiteBundle.firstLine)
        do throws(SiteBundleError) {
            for piece in pieces(bytes) {
                for message in try reader.add(piece) { again += SiteBundle.frame(message) }
            }
            try reader.finish()
        } catch {
            return
        }
        promise([UInt8](bytes.dropFirst()) == again, "a bundle does not come out as it went in")
    }

    /// Both ends, with a peer that has no key.
    private static func strangers(_ bytes: [UInt8]) {
        let (box, server) = (SiteBoxEnd(now: .zero), SiteServerEnd(site.keys, greeting: site.greeting, now: .zero))
        for piece in pieces(bytes) {
            for event in box.receive(piece, now: .zero) {
                switch event {
                case .greeted(let greeting):
                    let first = box.shake(serverKey: greeting.certificate.serverKey, staticKey: FuzzKeys.keyPair(3))
                    promise(first == nil || first?.count == 2 + 97, "a first message of another length")
                case .established, .said: promise(false, "a stranger is the box's server")
                case .ended: promise(box.receive([0], now: .zero) == [], "a box listens after the end")
                }
            }
            for event in server.receive(piece, now: .zero) {
                switch event {
                case .write: break
                case .proved, .said: promise(false, "a stranger has proved a key")
                case .ended: promise(server.receive([0], now: .zero) == [], "a server listens after the end")
                }
            }
        }
        promise(server.seal(.wantEntries, now: .zero) == nil, "a server speaks to a stranger")
        _ = box.timeHasCome(now: box.deadline)
        _ = server.timeHasCome(now: server.deadline)
        promise(box.close() == [] && server.close() == [], "an end is not over behind its deadline")
    }

    /// A box and its server, with a change in one of four messages. The server hears of the box only without a change.
    private static func conversation(_ bytes: [UInt8]) {
        let (choice, changes) = ((bytes.first ?? 0) % 8, bytes.dropFirst())
        let (box, server) = (SiteBoxEnd(now: .zero), SiteServerEnd(site.keys, greeting: site.greeting, now: .zero))
        var unchanged = true
        func wire(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
            guard number == choice & 3 else { return bytes }
            let changed = FuzzKeys.changed(bytes, by: changes)
            unchanged = changed.starts(with: bytes)
            return changed
        }
        _ = box.receive(wire(0, server.opening), now: .zero)
        let first: [UInt8]?
        if choice & 4 == 0 {
            first = box.shake(serverKey: site.keys.publicKey, staticKey: FuzzKeys.keyPair(3))
        } else {
            guard let secret = try? site.keys.joinSecret(codeID: FuzzKeys.codeID) else { return }
            first = box.join(
                serverKey: site.keys.publicKey, staticKey: FuzzKeys.keyPair(3), codeID: FuzzKeys.codeID, secret: secret)
        }
        guard let first else { return }
        var proved = false
        for case .write(let reply) in server.receive(wire(1, first), now: .zero) {
            _ = box.receive(wire(2, reply), now: .zero)
            guard let hello = box.seal(.hello(site.hello), now: .zero) else { continue }
            let events = server.receive(wire(3, hello), now: .zero)
            let key = FuzzKeys.keyPair(3).publicKey
            proved = events.first == .proved(boxKey: key, codeID: choice & 4 == 0 ? nil : FuzzKeys.codeID)
            promise(proved || !events.contains(.said(.hello(site.hello))), "a box is heard that has proved nothing")
        }
        promise(!proved || unchanged, "a changed message was taken")
        promise(proved || !changes.isEmpty, "an unchanged message was refused")
    }

    private struct Site {
        let keys: SiteServerKeys
        let greeting: SiteGreeting
        let hello: SiteHello
        let pin: SitePin
    }

    private static let site: Site = {
        do {
            let root = try Ed25519KeyPair(seed: FuzzKeys.secret(7))
            let issuer = try Ed25519KeyPair(seed: FuzzKeys.secret(8))
            let first = try SiteOrdinal(1 << 32 | 1)
            let id = SiteID(firstRoot: root.publicKey)
            let facts = try SiteDocumentFacts(
                site: id, version: first, generation: first, rootKey: root.publicKey,
                nextRootHash: [UInt8](repeating: 0, count: 32),
                issuers: [SiteIssuer(role: .servers, key: issuer.publicKey, expiry: 1 << 39)].compactMap { $0 })
            let document = try SiteDocument.sign(facts, root: root)
            let keys = try SiteServerKeys(staticKey: FuzzKeys.keyPair(2), siteSecret: FuzzKeys.secret(6))
            let certificate = try SiteServerCertificate.issue(
                serverKey: keys.publicKey, expiry: 1 << 39, site: id, issuer: issuer)
            var tally = SignatureTally()
            return Site(
                keys: keys, greeting: try SiteGreeting(certificate: certificate, document: document),
                hello: try SiteHello(document: first, generation: first, number: 0, time: 0, program: []),
                pin: try SitePin(kept: document.bytes, tally: &tally))
        } catch {
            preconditionFailure("the fixed keys make a site: \(error)")
        }
    }()
}
