import Glibc
import Secrets
import SiteCore
import SiteTrust

/// Makes new issuer keys at a server. They go into the one of the two issuer files that is no longer needed.
package struct IssuerFiles: Sendable {
    package enum Problem: Error, Equatable, Sendable {
        case file(SecretFileError)
        /// The document lists valid keys of both files.
        case bothListed
    }

    private let directory: String
    private let listed: [SiteIssuer]
    private let everListed: Set<[UInt8]>

    /// - Parameters:
    ///   - documents: All documents that were ever published, oldest first.
    ///   - time: The current time, in seconds since 1970. Expired keys are not needed, even if the document lists them.
    package init(in directory: String, _ documents: [ClaimedSiteDocument], time: UInt64) {
        self.directory = directory
        listed = documents.last?.facts.issuers.filter { $0.expiry > time } ?? []
        everListed = Set(documents.flatMap { $0.facts.issuers.map(\.key) })
    }

    private enum State {
        case missing
        /// The newest document lists a key of the file that has not expired.
        case listed
        /// No document has ever listed a key of the file.
        case waiting([IssuerKey])
        /// A document once listed a key of the file, and none of the file's keys is needed any more.
        case spent
    }

    private func state(of path: String) throws(SecretFileError) -> State {
        guard ServerKeyFiles.exists(path) else { return .missing }
        let keys = try ServerKeyFiles.issuers(in: path)
        if keys.contains(where: { key in listed.contains { $0.key == key.publicKey } }) { return .listed }
        return keys.contains { everListed.contains($0.publicKey) } ? .spent : .waiting(keys)
    }

    /// Returns new keys, stored durably, and the name of their file. Keys that already wait are returned again, so a
    /// client that got no answer can repeat the request, and copies and signatures stay valid. `replacing` discards
    /// waiting keys.
    package func make(replacing: Bool) throws(Problem) -> (file: String, keys: [IssuerKey], areNew: Bool) {
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
