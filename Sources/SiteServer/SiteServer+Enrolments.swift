import PhoneMessages
import SiteCore
import SiteLink
import SiteStore

/// Performs the actions of `SiteEnrolment` in order, for phones that enrol through boxes.
extension SiteServer {
    func carried(_ message: CarriedMessage, from id: LinkID) {
        guard let link = links[id] else { return }
        let now = loop.now()
        let enrolment =
            link.enrolments[message.carry]
            ?? CarriedEnrolment(SiteEnrolmentEnd(keys, site: issuing.site.bytes), now: now)
        link.enrolments[message.carry] = enrolment
        for event in enrolment.end.receive(message.message, now: now) {
            if case .write(let bytes) = event {
                answer(bytes, id, message.carry)
            } else {
                enrolmentHears(.heard(event), id, message.carry)
            }
        }
    }

    /// Handles a phone that has left, or a box whose link has ended.
    func carryEnded(_ carry: CarryNumber, of id: LinkID) { enrolmentHears(.heard(.ended), id, carry) }

    func sweepEnrolments(_ now: Duration) {
        for (id, link) in links {
            for (carry, enrolment) in link.enrolments {
                if let deadline = enrolment.machine.deadline, now >= deadline {
                    enrolmentHears(.timeHasCome, id, carry)
                }
            }
        }
    }

    private func answer(_ bytes: [UInt8]?, _ id: LinkID, _ carry: CarryNumber) {
        guard let message = bytes.flatMap({ CarriedMessage(carry: carry, message: $0) }) else { return }
        feed(.carryAnswered(id, message))
    }

    private func enrolmentHears(_ input: SiteEnrolmentInput, _ id: LinkID, _ carry: CarryNumber) {
        guard let enrolment = links[id]?.enrolments[carry] else { return }
        for effect in enrolment.machine.handle(input, now: loop.now()) { perform(effect, enrolment, id, carry) }
    }

    private func perform(
        _ effect: SiteEnrolmentEffect, _ enrolment: CarriedEnrolment, _ id: LinkID, _ carry: CarryNumber
    ) {
        switch effect {
        case .say(let message): answer(enrolment.end.seal(message, now: loop.now()), id, carry)
        case .close:
            answer(enrolment.end.close(), id, carry)
            links[id]?.enrolments[carry] = nil
            feed(.carryOver(id, carry))
        case .claim(let codeID, let key, let label):
            beside { await self.claim(codeID, key, label, id, carry) }
        case .show(let codeID, let key, let digits):
            beside { await self.show(digits, codeID, key, id, carry) }
        case .look(let codeID, let key, let pause):
            loop.spawn {
                guard (try? await self.loop.sleep(until: self.loop.now() + pause)) != nil else { return }
                await self.look(codeID, key, id, carry)
            }
        case .void(let codeID, let key, let reason):
            beside {
                await self.tried("end an enrolment whose phone disconnected") {
                    try await $0.voidEnrolment(codeID, of: key, reason: reason)
                }
            }
        }
    }

    private func claim(
        _ codeID: [UInt8], _ key: [UInt8], _ label: [UInt8], _ id: LinkID, _ carry: CarryNumber
    ) async {
        do throws(SiteStoreError) {
            let refusal = try await store.claimEnrolment(codeID, by: key, label: label)
            enrolmentHears(.claimed(refusal: refusal), id, carry)
        } catch {
            // If the claim was stored nevertheless, the code is used up, and the administrator sees that.
            log.error("a phone could not be enrolled: \(error)")
            enrolmentHears(.claimed(refusal: .boxFault), id, carry)
        }
    }

    private func show(
        _ digits: [UInt8], _ codeID: [UInt8], _ key: [UInt8], _ id: LinkID, _ carry: CarryNumber
    ) async {
        do throws(SiteStoreError) {
            let isShown = try await store.showDigits(digits, of: codeID, for: key)
            enrolmentHears(.shown(isShown), id, carry)
        } catch {
            log.error("the digits of an enrolment could not be recorded: \(error)")
            enrolmentHears(.shown(false), id, carry)
        }
    }

    private func look(_ codeID: [UInt8], _ key: [UInt8], _ id: LinkID, _ carry: CarryNumber) async {
        guard links[id]?.enrolments[carry] != nil else { return }
        enrolmentHears(.looked(await outcome(codeID, key)), id, carry)
    }

    private func outcome(_ codeID: [UInt8], _ key: [UInt8]) async -> EnrolmentOutcome {
        do throws(SiteStoreError) {
            let (refusal, grant) = try await store.outcome(of: codeID, for: key)
            if let refusal { return .refused(refusal) }
            guard let grant else { return .waiting }
            feed(.phoneEnrolled)
            return .enrolled(document: machine.pin.document.bytes, grant: grant.bytes)
        } catch {
            return .unknown
        }
    }
}
