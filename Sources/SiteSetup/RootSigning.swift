import Glibc
import Secrets
import SiteTrust

/// The reason why a new site document is not signed.
public enum RootSigningError: Error, Sendable {
    case file(SecretFileError)
    /// The present document is not valid, or the new one cannot be signed.
    case document(SiteError)
    case draft(SiteDraftError)
    /// The file for the next root's key holds the key of a root that already signs.
    case sameKey(String)
}

/// Implements `boxsite root`, on any machine: it needs no server, no database and no network.
public struct RootSigning: Sendable {
    private static let keyBytes = 32

    /// The present document.
    public let old: SiteDocumentFacts
    private let key: RootKey

    /// A root's key, read from its file.
    private final class RootKey: Sendable {
        let pair: Ed25519KeyPair

        init(_ path: String) throws(RootSigningError) {
            do throws(SecretFileError) {
                let seed = try SecretFile.read(path, count: RootSigning.keyBytes)
                do throws(SecretsError) {
                    pair = try Ed25519KeyPair(seed: seed.copy())
                } catch {
                    throw SecretFileError(path: path, what: "it does not hold a key")
                }
            } catch {
                throw .file(error)
            }
        }
    }

    /// Uses the root that signed `document`, whose key is in the file `path`. Throws if the key is another root's.
    public init(root path: String, _ document: ClaimedSiteDocument) throws(RootSigningError) {
        key = try RootKey(path)
        old = document.facts
        var tally = SignatureTally()
        do throws(SiteError) {
            _ = try SitePin(root: key.pair.publicKey, document: document, tally: &tally)
        } catch {
            throw .document(error)
        }
    }

    /// Uses the next root of `document`, whose key is in the file `path`.
    public init(nextRoot path: String, _ document: ClaimedSiteDocument) throws(RootSigningError) {
        key = try RootKey(path)
        old = document.facts
        var tally = SignatureTally()
        do throws(SiteError) {
            _ = try SitePin(kept: document.bytes, tally: &tally)
        } catch {
            throw .document(error)
        }
        guard SHA256.hash(key.pair.publicKey) == old.nextRootHash else { throw .draft(.otherRoot) }
    }

    /// Returns a draft of this root's next document, by this machine's clock.
    public func draft(_ order: SiteDocumentOrder) throws(RootSigningError) -> SiteDocumentDraft {
        do throws(SiteDraftError) {
            return try SiteDocumentDraft(after: old, order, at: UInt64(clamping: time(nil)))
        } catch {
            throw .draft(error)
        }
    }

    /// Returns a draft of this next root's first document, with the public key of the root after it (32 bytes).
    public func succession(
        _ order: SiteDocumentOrder, next: [UInt8]
    ) throws(RootSigningError) -> SiteDocumentDraft {
        do throws(SiteDraftError) {
            return try SiteDocumentDraft(
                succeeding: old, by: key.pair.publicKey, next: next, order, at: UInt64(clamping: time(nil)))
        } catch {
            throw .draft(error)
        }
    }

    public func sign(_ draft: SiteDocumentDraft) throws(RootSigningError) -> SiteDocument {
        do throws(SiteError) {
            return try SiteDocument.sign(draft.facts, root: key.pair)
        } catch {
            throw .document(error)
        }
    }

    /// Returns the public key of the root after this one, from the file `path`. A missing file is written with a new
    /// key. An existing one is used: its key may be in a document that was signed just before this program was killed.
    public func makeNextRoot(at path: String) throws(RootSigningError) -> (key: [UInt8], isNew: Bool) {
        let isNew = !ServerKeyFiles.exists(path)
        if isNew {
            do throws(SecretFileError) {
                try SecretFile.write(SecretBytes(randomCount: Self.keyBytes), to: path)
            } catch {
                throw .file(error)
            }
        }
        let public_ = try RootKey(path).pair.publicKey
        guard public_ != key.pair.publicKey, public_ != old.rootKey else { throw .sameKey(path) }
        return (public_, isNew)
    }
}
