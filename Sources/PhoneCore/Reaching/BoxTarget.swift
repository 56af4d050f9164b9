import Links
import SiteTrust
import VaultPort

/// The boxes that a name may mean: one, or several that show the same digits. A box of a site stands here by its number alone, until
/// one was found that is believed.
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

    /// What `name` means among `boxes`: `1234`, or `1234-0a1b2c3d` with the beginning of the box key's fingerprint;
    /// nil: the only one there is. Boxes whose enrolment is not confirmed count only where there is no other.
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

    /// Whether the first one that is believed is the one that is meant: nobody need be asked.
    var isPlain: Bool {
        candidates.lazy.filter { $0.site == nil }.count <= 1 && candidates.lazy.filter { $0.site != nil }.count <= 1
    }

    /// The same, or a box of these sites that shows these very digits.
    public func orBox(of sites: [SiteAccess]) -> BoxTarget {
        guard boxID.bytes.count == BoxFacts.boxIDBytes else { return self }
        return BoxTarget(boxID: boxID, candidates: candidates + sites.map { $0.box(boxID) })
    }

    /// A box of one of these sites, by its number; nil where it is none's.
    public static func number(_ name: String, of sites: [SiteAccess]) -> BoxTarget? {
        guard !sites.isEmpty, name.bytes.count == BoxFacts.boxIDBytes, Advertisement.isBoxID(name) else { return nil }
        return BoxTarget(boxID: name, candidates: sites.map { $0.box(name) })
    }
}
