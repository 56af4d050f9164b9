import Glibc
import Secrets
import SiteCore
import SiteTrust

/// New issuer keys at a server: in that of the two files which nobody needs any more.
struct IssuerFiles: Sendable {
    enum Problem: Error, Equatable, Sendable {
        case file(SecretFileError)
        /// The document lists keys of both files.
        case bothListed
        /// There are new keys already, which no document lists yet, in this file.
        case waiting(String)
    }

    private let directory: String
    private let listed: [SiteIssuer]
    private let everListed: Set<[UInt8]>

    /// - Parameter documents: All that were ever published, oldest first.
    init(in directory: String, _ documents: [ClaimedSiteDocument]) {
        self.directory = directory
        listed = documents.last?.facts.issuers ?? []
        everListed = Set(documents.flatMap { $0.facts.issuers.map(\.key) })
    }

    /// What becomes of a file.
    private enum State {
        case missing
        /// The newest document lists one of its keys.
        case listed
        /// No document ever did.
        case waiting([IssuerKey])
        /// An earlier one did.
        case spent
    }

    private func state(of path: String) throws(SecretFileError) -> State {
        guard ServerKeyFiles.exists(path) else { return .missing }
        let keys = try ServerKeyFiles.issuers(in: path)
        if keys.contains(where: { key in listed.contains { $0.key == key.publicKey } }) { return .listed }
        return keys.contains { everListed.contains($0.publicKey) } ? .spent : .waiting(keys)
    }

    /// New keys, durably written down, and the file that they are in. Keys that wait already are given again: whoever heard no
    /// answer asks again, and what was copied or signed stays good. `replacing`: those are thrown away.
    func make(replacing: Bool) throws(Problem) -> (file: String, keys: [IssuerKey], areNew: Bool) {
        var place: String?
        do throws(SecretFileError) {
            for name in ServerKeyFiles.issuerFiles {
                switch try state(of: directory + "/" + name) {
                case .waiting(let keys):
                    guard replacing else { return (name, keys, false) }
                    place = name
                case .missing, .spent: place = place ?? name
                case .listed: continue
                }
            }
        } catch {
            throw .file(error)
        }
        guard let name = place else { throw .bothListed }
        let path = directory + "/" + name
        do throws(SecretFileError) {
            try SecretFile.replace(ServerKeyFiles.newSeeds(), at: path)
            return (name, try ServerKeyFiles.issuers(in: path), true)
        } catch {
            throw .file(error)
        }
    }
}
