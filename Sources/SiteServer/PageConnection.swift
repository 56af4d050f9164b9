import ControlProtocol
import EventLoop
import SiteControl
import SiteStore

/// Answers the requests that the site page makes for itself.
struct PageConnection: Sendable {
    let connection: SeqPacketConnection
    let server: SiteServer

    func answer(_ request: PageRequest) async {
        do throws(SiteStoreError) {
            switch request {
            case .passkeyOwner(let code): await done(try await server.store.passkeyOwner(code: Array(code.utf8)))
            case .addPasskey(let code, let credential, let key, let counter):
                let passkey = Passkey(credential: credential, key: key, counter: counter)
                await done(try await server.store.add(passkey, code: Array(code.utf8)))
            case .passkey(let credential):
                await say(.passkey(try await server.store.passkey(credential).listing))
                await done("")
            case .usePasskey(let credential, let counter):
                try await server.store.use(credential, counter: counter)
                await done("")
            }
        } catch {
            await say(SiteControlConnection.failure(error))
        }
    }

    private func done(_ text: String) async { await say(.done(text: text)) }

    private func say(_ reply: SiteReply) async { await connection.say(reply, on: server.loop) }
}

extension Passkey {
    var listing: PasskeyListing {
        var listing = PasskeyListing()
        (listing.administrator, listing.credential, listing.key) = (administrator, credential, key)
        (listing.counter, listing.added, listing.used) = (counter, added, used)
        return listing
    }
}
