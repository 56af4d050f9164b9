import Links
import VaultPort

/// The enrolled boxes that a name may mean: one, or several that show the same digits.
public struct BoxTarget: Sendable, Equatable {
    public let boxID: String
    /// At least one.
    public let candidates: [KnownBox]

    @inline(never)
    public init(_ box: KnownBox) {
        boxID = box.digits
        candidates = [box]
    }

    init(boxID: String, candidates: [KnownBox]) {
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
}
