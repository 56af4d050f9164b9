import SecureChannel
import SiteTrust
import VaultPort

/// A box recognised by its identity, with its certificate if the phone was enrolled at it.
struct RecognisedBox: Sendable {
    let box: KnownBox
    let certificate: BoxCertificate?
}

extension ErrandContext {
    /// Returns the box among `boxes` that shows this identity under `number`, or the problem. An enrolment takes
    /// precedence: a site cannot vouch for a box that the enrolment rejects.
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
                // Prefer the problem with the site that the box claims.
                if nearest == nil || nearest == .otherAuthority || nearest == .site(.otherSite) {
                    nearest = .site(problem)
                }
            // A later try must not reach another box with the same number.
            case .success(let key) where box.boxKey.isEmpty || box.boxKey == key:
                return .success(RecognisedBox(box: box.found(number, key, site), certificate: nil))
            case .success: nearest = .otherKey
            }
        }
        return .failure(nearest ?? .otherAuthority)
    }
}

extension KnownBox {
    /// Returns the box of the site with this number and key.
    fileprivate func found(_ number: [UInt8], _ key: [UInt8], _ site: KnownSite) -> KnownBox {
        KnownBox(
            id: id, boxID: number, boxKey: key, authorityKey: authorityKey, highestSerial: highestSerial, user: user,
            label: label, mode: mode, confirmed: confirmed, hasCredential: hasCredential,
            hasDeviceSecret: hasDeviceSecret, site: site)
    }
}
