import Transport
import Vault

/// Boxes that were given other digits. A phone looks for the digits that it knows; whoever reads others on the screen of
/// their box names those.
extension Phone {
    /// What a person means by `name`; nil: the only box there is. Digits that no known box has may be a known box's new
    /// ones: who shows them is asked, and says so by a newer certificate for the pinned key, or is left alone.
    public func target(_ name: String?) async throws(PhoneError) -> BoxTarget {
        let known = try await boxes()
        do throws(PhoneError) {
            return try BoxTarget.find(name, among: known)
        } catch .unknownBox(let name) {
            guard let box = try await renumbered(name, among: known) else { throw .unknownBox(name) }
            return BoxTarget(box)
        }
    }

    private func renumbered(_ digits: String, among known: [KnownBox]) async throws(PhoneError) -> KnownBox? {
        guard Advertisement(name: Array(Advertisement.name(boxID: digits).utf8), address: "", rssi: nil).boxID == digits
        else { return nil }
        var search = BoxSearch(boxID: digits, until: clock.now() + limits.scan)
        while let advertisement = try await next(&search) {
            do throws(ReachFailure) {
                let (box, link) = try await recognise(known, at: advertisement)
                await link.close()
                if box.digits == digits { return box }
            } catch {
                if case .cancelled = error { throw .cancelled }
                search.passBy(advertisement, error, now: clock.now())
                continue
            }
            search.passBy(advertisement, .identity(.otherDigits), now: clock.now())
        }
        return nil
    }
}
