import Secrets
import SecureChannel
import SiteTrust
import VaultPort

/// Enrols this phone at a site, and stores the result. The vault stores the phone's key durably before the enrolment,
/// and the site's document and grant after it.
///
/// ```
/// keying ──► enrolling ──granted──► keeping ──► (joined)
/// ```
final class SiteJoining: OrderSteps {
    private enum Stage {
        case keying
        case enrolling(SiteEnrolling)
        case keeping(KnownSite)
    }

    private let code: SiteCode
    private let label: [UInt8]
    private let number: String?
    private let known: [KnownSite]
    /// The new key for a site; nil if this phone already belongs to the site and uses the key of its row.
    private var waiting: SiteKey?
    private var stage = Stage.keying

    init(_ code: SiteCode, label: [UInt8], number: String?, _ known: [KnownSite], _ context: inout ErrandContext) {
        self.code = code
        self.label = label
        self.number = number
        self.known = known
        super.init()
        let same = known.first { (try? SiteAccess($0))?.isOf(code.site) == true }
        context.ask(same.map { .deviceKey($0.id) } ?? .siteKey)
    }

    override func deadline(_ context: ErrandContext) -> Duration? {
        guard case .enrolling(let enrolling) = stage else { return nil }
        return enrolling.deadline(context)
    }

    override func handle(_ input: Input, _ context: inout ErrandContext) -> ErrandEnd? {
        switch (stage, input) {
        case (.enrolling(let enrolling), _):
            let end = enrolling.handle(input, &context)
            guard case .granted(let document, let grant) = end else { return end }
            return take(document, grant, &context)
        case (_, .vault(.failed(let error))): return .failed(.vault(error))
        case (.keying, .vault(.secret(let key?))): return enrol(key, &context)
        case (.keying, .vault(.siteKey(let id, let key))):
            guard let pair = try? X25519KeyPair(privateKey: key.bytes.copy()) else { return .failed(.site(.damaged)) }
            waiting = SiteKey(id: id, publicKey: pair.publicKey)
            return enrol(key, &context)
        case (.keying, .vault): return .failed(.site(.damaged))
        case (.keying, .cancel): return .failed(.cancelled)
        // Let the vault finish its write.
        case (.keeping(let site), .vault): return .joined(site)
        default: return nil
        }
    }

    private func enrol(_ key: HeldSecret, _ context: inout ErrandContext) -> ErrandEnd? {
        stage = .enrolling(SiteEnrolling(code, label: label, number: number, key: key, &context))
        return nil
    }

    private func take(_ document: [UInt8], _ grant: [UInt8], _ context: inout ErrandContext) -> ErrandEnd? {
        guard let desk = context.sites.desk else { return .failed(.site(.noSites)) }
        do throws(SiteProblem) {
            let offer = try SiteOffer(
                document: document, grant: grant, of: code.site, rootKey: code.rootKey, siteKey: code.siteKey)
            let (id, given) = try offer.taken(by: waiting, known, clock: desk.clock(at: context.now))
            let old = known.first { $0.id == id }
            let phoneKey = old?.phoneKey ?? waiting?.publicKey ?? []
            stage = .keeping(
                KnownSite(
                    id: id, phoneKey: phoneKey, document: given.document, grant: given.grant, entry: given.entry,
                    hasCredential: false, siteKey: given.siteKey, holders: []))
            context.ask(.keepSite(given, as: id))
            return nil
        } catch {
            return .failed(.site(error))
        }
    }
}

extension Order {
    /// Enrols this phone at a site and stores the result. `known` has the sites to which this phone belongs.
    public static func join(_ code: SiteCode, label: [UInt8], number: String?, _ known: [KnownSite]) -> Order {
        Order { context in SiteJoining(code, label: label, number: number, known, &context) }
    }

    /// Returns an order that fails with `error` at once.
    public static func failing(_ error: PhoneError) -> Order { Order { _ in FailingSteps(error) } }
}

private final class FailingSteps: OrderSteps {
    private let error: PhoneError
    init(_ error: PhoneError) { self.error = error }
    override func handle(_ input: Input, _ context: inout ErrandContext) -> ErrandEnd? { .failed(error) }
}
