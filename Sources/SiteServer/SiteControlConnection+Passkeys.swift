import ControlProtocol
import EventLoop
import Secrets
import SiteControl
import SiteStore

extension SiteControlConnection {
    /// The random bytes of a one-time code. Each letter or digit stands for 5 bits of them.
    private static let codeBytes = 20
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// Makes a one-time code, and sends the link that contains the code. The database stores the code's hash.
    func sayLink(for name: String) async throws(SiteStoreError) {
        guard let pageOrigin else {
            return await say(
                .failure(
                    .invalid, what: "this server does not know the page's address",
                    cure: "write [server] page_origin = \"https://…\" into boxsite.toml, and restart boxsited"))
        }
        let code = HeldSecret(Self.makeCode())
        try await server.store.makeLink(for: name, codeHash: code.bytes.withBytes { SHA256.hash($0) }, by: actor)
        let link = HeldSecret(Self.link(Array((pageOrigin + "/register#").utf8), code.bytes))
        do throws(SocketError) {
            try await connection.send(
                limit: ControlLimits.messageBytes, until: loop.now() + SeqPacketConnection.replyPatience
            ) { output in
                link.bytes.withBytes { bytes in (try? SiteReply.encodeLink(bytes, into: &output)) ?? -1 }
            }
        } catch {
            return await connection.close()
        }
        await say(.done(text: ""))
    }

    private static func makeCode() -> SecretBytes {
        let random = SecretBytes(randomCount: codeBytes)
        var text = SecretBytes(count: PasskeyLimits.codeBytes)
        text.withMutableBytes { output in
            for at in 0..<output.byteCount {
                let (byte, bit) = (at * 5 / 8, at * 5 % 8)
                let next = byte + 1 < codeBytes ? random.byte(at: byte + 1) : 0
                let pair = UInt16(random.byte(at: byte)) << 8 | UInt16(next)
                output.storeBytes(of: digits[Int(pair >> (11 - UInt16(bit)) & 31)], toByteOffset: at, as: UInt8.self)
            }
        }
        return text
    }

    private static func link(_ place: [UInt8], _ code: borrowing SecretBytes) -> SecretBytes {
        var link = SecretBytes(count: place.count + PasskeyLimits.codeBytes)
        link.withMutableBytes { output in
            for at in 0..<output.byteCount {
                let byte = at < place.count ? place[at] : code.byte(at: at - place.count)
                output.storeBytes(of: byte, toByteOffset: at, as: UInt8.self)
            }
        }
        return link
    }

    func listPasskeys(of name: String) async throws(SiteStoreError) {
        for passkey in try await server.store.passkeys(of: name, for: actor) { await say(.passkey(passkey.listing)) }
    }

    func removePasskeys(of name: String) async throws(SiteStoreError) -> String {
        let count = try await server.store.removePasskeys(of: name, by: actor)
        return "removed \(count) passkeys of \(name)"
    }
}
