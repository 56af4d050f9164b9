import Transport
import Vault

/// A box that a scan heard.
public struct SeenBox: Sendable, Equatable {
    public enum Standing: Sendable, Equatable {
        /// This phone is not enrolled at any box with these digits.
        case unknown
        /// Its certificate is that of a box this phone is enrolled at. (Whether it holds the key as well, only a
        /// login shows.)
        case known(KnownBox)
        /// It shows the digits of a box that this phone is enrolled at, and is another.
        case other(IdentityProblem)
        /// It shows the digits of a box that this phone is enrolled at, and could not be asked.
        case unreachable(LinkError)
    }

    /// Four to six digits.
    public let boxID: String
    /// dBm, where the radio tells it.
    public let rssi: Int?
    public let standing: Standing
    /// Whether another box in range shows the same digits.
    public let hasDouble: Bool
}

extension Phone {
    /// Listens for `PhoneLimits.scan`, then asks those whose digits are known who they are. Where a box of this phone's is not
    /// heard by its digits, the others are asked, too: it may have been given new ones.
    public func scan(
        _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> [SeenBox] {
        let known = try await boxes()
        let heard = try await hear(for: limits.scan).filter { $0.boxID != nil }
        let missing = known.filter { box in heard.allSatisfy { $0.boxID != box.digits } }
        var seen: [SeenBox] = []
        var asked = 0
        // Those first whose digits are known: only so many are asked.
        let isNamed = { (advertisement: Advertisement) in known.contains { $0.digits == advertisement.boxID } }
        for advertisement in heard.filter(isNamed) + heard.filter({ !isNamed($0) }) {
            guard let digits = advertisement.boxID else { continue }
            let named = known.filter { $0.digits == digits }
            var standing = SeenBox.Standing.unknown
            if named.isEmpty {
                if !missing.isEmpty, asked < BoxSearch.triesLimit {
                    asked += 1
                    let answer = try await recognised(advertisement, among: missing)
                    // Whoever is none of them is a stranger, as before.
                    if case .known = answer { standing = answer }
                }
            } else {
                asked += 1
                standing =
                    asked > BoxSearch.triesLimit
                    ? .unreachable(.timedOut) : try await recognised(advertisement, among: named)
            }
            seen.append(
                SeenBox(
                    boxID: digits, rssi: advertisement.rssi, standing: standing,
                    hasDouble: heard.filter { $0.boxID == digits }.count > 1))
        }
        return seen.sorted { ($0.boxID, $1.rssi ?? -128) < ($1.boxID, $0.rssi ?? -128) }
    }

    private func recognised(
        _ advertisement: Advertisement, among candidates: [KnownBox]
    ) async throws(PhoneError) -> SeenBox.Standing {
        do throws(ReachFailure) {
            let (box, link) = try await recognise(candidates, at: advertisement)
            await link.close()
            return .known(box)
        } catch {
            switch error {
            case .identity(let problem): return .other(problem)
            case .link(let error): return .unreachable(error)
            case .cancelled: throw .cancelled
            }
        }
    }
}
