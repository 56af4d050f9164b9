import Links
import SecureChannel
import SiteTrust

/// Looks for a box that shows the site's tag, with the number that a person has typed or any number. The tag need not
/// be proved: only the site can read the messages, and a box of another site cannot deliver them.
final class SiteSeeking {
    enum End: Sendable {
        /// The exact bytes of the identity, and the box's key in it.
        case found(identity: [UInt8], boxKey: [UInt8], boxID: String)
        case failed(PhoneError)
    }

    /// The most boxes to visit.
    private static let visitLimit = 16

    private indirect enum Stage {
        case listening
        case visiting(Visit)
    }

    private let tag: [UInt8]
    private let number: String?
    private let until: Duration
    private var visited: [String] = []
    private var linkError: LinkError?
    private var stage = Stage.listening

    /// - Parameter passing: Addresses of boxes that were tried before.
    init(site: [UInt8], number: String?, passing: [String], _ context: inout ErrandContext) {
        tag = Array(site.prefix(6))
        self.number = number
        visited = passing
        until = context.now + context.limits.scan
        context.listen(for: context.limits.scan)
    }

    var deadline: Duration? {
        guard case .visiting(let visit) = stage else { return nil }
        return visit.deadline
    }

    /// The addresses of the boxes visited, the latest one last.
    var passed: [String] { visited }

    func handle(_ input: Input, _ context: inout ErrandContext) -> End? {
        switch stage {
        case .listening:
            switch input {
            case .heard(let advertisement) where isCandidate(advertisement):
                context.stopListening()
                visited.append(advertisement.address)
                context.show(.connecting(boxID: advertisement.boxID ?? ""))
                stage = .visiting(Visit(advertisement, &context))
                return nil
            case .scanOver(let error): return .failed(PhoneError(scan: error) ?? failure)
            default: return nil
            }
        case .visiting(let visit):
            let result = visit.handle(input, &context)
            switch result {
            case nil: return nil
            case .success(let identity):
                if let key = boxKey(identity) {
                    return .found(identity: identity, boxKey: key, boxID: visit.advertisement.boxID ?? "")
                }
                context.hangUp()
                return listen(&context)
            case .failure(let error):
                linkError = error
                context.hangUp()
                return listen(&context)
            }
        }
    }

    private func isCandidate(_ advertisement: Advertisement) -> Bool {
        guard let shown = advertisement.boxID, !visited.contains(where: { $0.hasBytes(of: advertisement.address) })
        else { return false }
        return number.map { shown.hasBytes(of: $0) } ?? (shown.bytes.count == 6)
    }

    /// Returns the key of a box that claims to belong to the site.
    private func boxKey(_ identity: [UInt8]) -> [UInt8]? {
        guard let claimed = try? BoxIdentity(parsing: identity), let bytes = claimed.siteCertificate,
            let certificate = try? ClaimedSiteBoxCertificate(parsing: bytes), certificate.siteTag == tag
        else { return nil }
        return claimed.certificate.boxKey
    }

    private func listen(_ context: inout ErrandContext) -> End? {
        let left = until - context.now
        guard left > .zero, visited.count < Self.visitLimit else { return .failed(failure) }
        stage = .listening
        context.listen(for: left)
        return nil
    }

    private var failure: PhoneError {
        if let linkError { return .unreachable(boxID: number ?? "", linkError) }
        return .site(.noBoxOfSite)
    }
}
