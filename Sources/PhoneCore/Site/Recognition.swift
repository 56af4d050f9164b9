import SecureChannel
import SiteTrust
import VaultPort

/// A box that was told by its identity, and its certificate where the phone was enrolled at it.
struct RecognisedBox: Sendable {
    let box: KnownBox
    let certificate: BoxCertificate?
}

extension ErrandContext {
    /// Which of `boxes` shows an identity, under this number; otherwise what is wrong with it. An enrolment goes before a site: what it
    /// does not believe of a box, no site says.
    func recognise(
        _ boxes: [KnownBox], by identity: [UInt8], showing number: [UInt8]
    ) -> Result<RecognisedBox, IdentityProblem> {
        var nearest: IdentityProblem?
        for box in boxes where box.site == nil {
            do throws(IdentityProblem) {
                let certificate = try box.expectedIdentity.check(identity)
                return .success(RecognisedBox(box: box, certificate: certificate))
            } catch {
                if error != .otherAuthority || nearest == nil { nearest = error }
            }
        }
        guard let desk = sites.desk, boxes.contains(where: { $0.site != nil }),
            let claimed = try? BoxIdentity(parsing: identity)
        else { return .failure(nearest ?? .unreadable) }
        let key = claimed.certificate.boxKey
        guard !boxes.contains(where: { $0.site == nil && $0.boxKey == key }) else {
            return .failure(nearest ?? .otherAuthority)
        }
        for box in boxes {
            guard let kept = box.site else { continue }
            let site = sites.current(kept)
            switch desk.believe(site, claimed, number, desk.clock(at: now)) {
            case .failure(let problem):
                // Of several sites, the one that the box says to be of.
                if nearest == nil || nearest == .otherAuthority || nearest == .site(.otherSite) {
                    nearest = .site(problem)
                }
            // Tried again, no namesake takes its place.
            case .success(let key) where box.boxKey.isEmpty || box.boxKey == key:
                return .success(RecognisedBox(box: box.found(number, key, site), certificate: nil))
            case .success: nearest = .otherKey
            }
        }
        return .failure(nearest ?? .otherAuthority)
    }
}

extension KnownBox {
    /// The box of the site that shows this number, and has this key.
    fileprivate func found(_ number: [UInt8], _ key: [UInt8], _ site: KnownSite) -> KnownBox {
        KnownBox(
            id: id, boxID: number, boxKey: key, authorityKey: authorityKey, highestSerial: highestSerial, user: user,
            label: label, mode: mode, confirmed: confirmed, hasCredential: hasCredential,
            hasDeviceSecret: hasDeviceSecret, site: site)
    }
}
