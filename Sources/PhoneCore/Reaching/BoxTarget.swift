import Links
import SiteTrust
import VaultPort

/// The boxes that a name may mean: one, or several with the same digits. A box of a site has only its number here,
/// until a box with that number is verified.
public struct BoxTarget: Sendable, Equatable {
    public let boxID: String
    /// At least one.
    public let candidates: [KnownBox]

    @inline(never)
    public init(_ box: KnownBox) {
        boxID = box.digits
        candidates = [box]
    }

    package init(boxID: String, candidates: [KnownBox]) {
        self.boxID = boxID
        self.candidates = candidates
    }

    /// Finds the boxes called `name`: `1234`, or `1234-0a1b2c3d` with the first digits of the box key's fingerprint.
    /// Nil means the only box. Unconfirmed enrolments count only if all are unconfirmed.
    public static func find(_ name: String?, among boxes: [KnownBox]) throws(PhoneError) -> BoxTarget {
        guard !boxes.isEmpty else { throw .noBoxes }
        var matching = boxes
        if let name = name?.bytes {
            matching = boxes.filter { box in
                box.boxID == name
                    || (name.count > box.boxID.count + 1 && box.longName(fingerprintBytes: 8).starts(with: name))
            }
            guard !matching.isEmpty else { throw .unknownBox(String(bytes: name)) }
        }
        let confirmed = matching.filter { $0.confirmed }
        if !confirmed.isEmpty { matching = confirmed }
        guard let first = matching.first, matching.allSatisfy({ $0.boxID == first.boxID }) else {
            var names: [String] = []
            for box in matching { names.insert(box.name(among: matching)) { $0.precedes($1) } }
            throw .severalBoxes(names)
        }
        return BoxTarget(boxID: first.digits, candidates: matching)
    }

    /// True if the first verified box must be the one that is meant, so that the person need not choose.
    var isPlain: Bool {
        candidates.lazy.filter { $0.site == nil }.count <= 1 && candidates.lazy.filter { $0.site != nil }.count <= 1
    }

    /// Returns the target with each site's box of the same number as a further candidate, if the number has six digits.
    public func orBox(of sites: [SiteAccess]) -> BoxTarget {
        guard boxID.bytes.count == BoxFacts.boxIDBytes else { return self }
        return BoxTarget(boxID: boxID, candidates: candidates + sites.map { $0.box(boxID) })
    }

    /// Returns the target for a box of one of these sites by its number, or nil without sites or six digits.
    public static func number(_ name: String, of sites: [SiteAccess]) -> BoxTarget? {
        guard !sites.isEmpty, name.bytes.count == BoxFacts.boxIDBytes, Advertisement.isBoxID(name) else { return nil }
        return BoxTarget(boxID: name, candidates: sites.map { $0.box(name) })
    }
}
