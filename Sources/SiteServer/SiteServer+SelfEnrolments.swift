import Secrets
import SecureChannel
import SiteCore
import SiteLink
import SiteStore

/// Performs the actions of `SelfDesk`, for users who enrol phones of their own at boxes.
extension SiteServer {
    func perform(_ task: SelfEnrolmentTask, for id: LinkID) {
        switch task.order {
        case .begin(let user, let replacing):
            loop.spawn {
                let result = await self.begin(user, replacing, task.box)
                await self.feed(.enrolledSelf(id, task, result))
            }
        case .look(let codeID):
            loop.spawn {
                guard (try? await self.loop.sleep(until: self.loop.now() + SelfDesk.lookInterval)) != nil else {
                    return
                }
                let found = try? await self.store.enrolment(codeID)
                let result = found.map { SelfEnrolmentResult.looked($0.row, isPending: $0.isPending) }
                await self.feed(.enrolledSelf(id, task, result ?? .unknown))
            }
        case .confirm(let codeID, let digits):
            beside {
                let result = await self.confirm(codeID, digits, task.box)
                await self.feed(.enrolledSelf(id, task, result))
            }
        case .end(let codeID, let state):
            loop.spawn {
                await self.tried("end an enrolment at box \(task.box.name)") {
                    try await $0.endSelf(codeID, as: state, at: task.box)
                }
            }
        }
    }

    private func begin(_ user: String, _ replacing: [UInt8], _ box: SiteBox) async -> SelfEnrolmentResult {
        if let refusal = await refusalOfDirectory(user) { return refusal }
        let codeID = randomBytes(count: FirstMessage.codeIDBytes)
        guard let secret = try? keys.enrolmentSecret(codeID: codeID),
            let code = SiteEnrolmentCode(
                rootKey: machine.pin.facts.rootKey, siteKey: keys.sitePublicKey, codeID: codeID, secret: secret,
                site: site.bytes)
        else { return .unknown }
        do throws(SiteStoreError) {
            let refusal = try await store.beginSelf(
                user, replacing: replacing, at: box, codeID: codeID, machine.signing.terms.selfEnrolment, of: site)
            guard let refusal else { return .began(codeID: codeID, HeldSecret(code.format())) }
            note(refusal.0, of: user, at: box)
            return .refused(refusal.0, detail: refusal.detail)
        } catch {
            log.error("a code for box \(box.name) could not be created: \(error)")
            return .unknown
        }
    }

    /// Confirms an enrolment. If the commit is uncertain, the phone learns the result when it asks.
    private func confirm(_ codeID: [UInt8], _ digits: String, _ box: SiteBox) async -> SelfEnrolmentResult {
        guard let time = machine.seconds(now: loop.now()) else { return .unknown }
        do throws(SiteStoreError) {
            let user = try await store.enrolment(codeID)?.row.user ?? ""
            if let refusal = await refusalOfDirectory(user) {
                try await store.endSelf(codeID, as: .declined, at: box)
                return refusal
            }
            let result = try await store.confirmSelf(
                codeID, digits: digits, at: box, machine.signing.terms.selfEnrolment, GrantTerms(issuing, time: time))
            if case .enrolled = result { feed(.grantIssued) }
            // Only recorded users can count as having left the directory.
            if case .enrolled = result, let directory, !directory.terms.localUsers.contains(user) {
                await tried("record that the directory has a user") { try await $0.sawInDirectory(name: user) }
            }
            return result
        } catch {
            log.error("a phone enrolled at box \(box.name) could not be added: \(error)")
            return .unknown
        }
    }

    /// Returns a refusal unless the directory has the user. Returns nil if it does, or if the site has no directory.
    private func refusalOfDirectory(_ user: String) async -> SelfEnrolmentResult? {
        switch await directory?.ask(user) {
        case nil, .there: nil
        case .gone, .notAllowed: .refused(.notAllowed, detail: "")
        case .unclear: .unknown
        }
    }
}
