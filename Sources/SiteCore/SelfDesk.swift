import SiteLink

/// Self-enrolments at boxes: one at a time on each link.
///
/// ```
/// beginning ─began─► waiting ─the phone's digits─► shown ─the same─► confirming ─► over
///     └─refused─────────┴─over, ended, link gone──────┴─others─────────┘
/// ```
/// The digits go to the box that asked, and its user compares them. The transactions that change the code's row decide.
public struct SelfDesk: Sendable {
    /// The pause between two looks at a code's row.
    public static let lookInterval: Duration = .milliseconds(500)
    /// The most open self-enrolments on all links together.
    static let limit = 64
    /// The most self-enrolments that may begin on one link, which lasts less than an hour.
    static let linkLimit = 30

    private enum Stage: Sendable {
        case beginning
        case waiting(codeID: [UInt8])
        case shown(codeID: [UInt8], digits: String)
        case confirming
    }

    private struct Open: Sendable {
        let number: UInt32
        let box: SiteBox
        var stage = Stage.beginning

        func task(_ order: SelfEnrolmentTask.Order) -> SelfEnrolmentTask {
            SelfEnrolmentTask(number: number, box: box, order: order)
        }
    }

    private var open: [LinkID: Open] = [:]
    private var begun: [LinkID: Int] = [:]

    /// - Parameter isReady: True if the server signs and the database answers.
    mutating func heard(
        _ wish: SelfEnrolmentWish, from id: LinkID, at box: SiteBox, _ policy: SelfEnrolmentPolicy, isReady: Bool
    ) -> [SiteEffect] {
        switch wish.step {
        case .begin(let user, let replacing):
            let count = begun[id, default: 0] + 1
            begun[id] = min(count, Self.linkLimit + 1)
            if let refusal = refusal(count, of: id, policy, isReady: isReady) {
                return [Self.refused(id, wish.number, refusal)]
            }
            let new = Open(number: wish.number, box: box)
            open[id] = new
            let name = String(decoding: user, as: UTF8.self)
            return [.enrolSelf(id, new.task(.begin(user: name, replacing: replacing)))]
        case .answer(let digits, let accept):
            guard let it = open[id], it.number == wish.number else { return [] }
            return answer(String(decoding: digits, as: UTF8.self), accept, it, id)
        case .end:
            guard let it = open[id], it.number == wish.number else { return [] }
            return end(it, id)
        }
    }

    /// Ends the self-enrolment of a link that no longer serves.
    mutating func left(_ id: LinkID) -> [SiteEffect] {
        begun[id] = nil
        return open[id].map { end($0, id) } ?? []
    }

    mutating func hear(_ task: SelfEnrolmentTask, _ result: SelfEnrolmentResult, for id: LinkID) -> [SiteEffect] {
        guard let it = open[id], it.number == task.number else {
            // Cancels the new code: its self-enrolment has ended, so no box gets the code.
            guard case .began(let codeID, _) = result else { return [] }
            let order = SelfEnrolmentTask.Order.end(codeID: codeID, .cancelled)
            return [.enrolSelf(id, SelfEnrolmentTask(number: task.number, box: task.box, order: order))]
        }
        switch (it.stage, result) {
        case (.beginning, .began(let codeID, let text)):
            open[id]?.stage = .waiting(codeID: codeID)
            let seconds = UInt16(clamping: SelfEnrolmentPolicy.minutes * 60)
            return [
                Self.say(id, it.number, .code(EnrolmentSecret(text), seconds: seconds)),
                .enrolSelf(id, it.task(.look(codeID: codeID))),
            ]
        case (.waiting(let codeID), .looked(let row, true)):
            guard row.state == .shown, let digits = row.digits else {
                return [.enrolSelf(id, it.task(.look(codeID: codeID)))]
            }
            open[id]?.stage = .shown(codeID: codeID, digits: digits)
            let name = [UInt8]((row.phoneName ?? "").utf8.prefix(64))
            return [
                Self.say(id, it.number, .digits([UInt8](digits.utf8), phone: name)),
                .enrolSelf(id, it.task(.look(codeID: codeID))),
            ]
        case (.shown(let codeID, _), .looked(_, true)), (.waiting(let codeID), .unknown),
            (.shown(let codeID, _), .unknown):
            return [.enrolSelf(id, it.task(.look(codeID: codeID)))]
        case (.waiting, .looked(_, false)), (.shown, .looked(_, false)): return close(it, id, .over)
        case (.confirming, .enrolled(let device, let hasReplaced)):
            open[id] = nil
            return [Self.say(id, it.number, .enrolled(device: device, hasReplaced: hasReplaced))]
        case (.beginning, .unknown), (.confirming, .unknown): return close(it, id, .notNow)
        case (_, .refused(let refusal, let detail)): return close(it, id, refusal, detail)
        // Ignores a look that was under way when the digits were compared.
        case (.confirming, .looked): return []
        case (.beginning, _), (.waiting, _), (.shown, _), (.confirming, .began): return []
        }
    }

    private func refusal(
        _ count: Int, of id: LinkID, _ policy: SelfEnrolmentPolicy, isReady: Bool
    ) -> SelfEnrolmentRefusal? {
        guard policy.isAllowed else { return .notAllowed }
        guard count <= Self.linkLimit else { return .tooMany }
        guard open[id] == nil, open.count < Self.limit else { return .busy }
        return isReady ? nil : .notNow
    }

    private mutating func answer(_ digits: String, _ accept: Bool, _ it: Open, _ id: LinkID) -> [SiteEffect] {
        guard case .shown(let codeID, let shown) = it.stage else { return [] }
        guard accept, digits == shown else {
            open[id] = nil
            return [
                .enrolSelf(id, it.task(.end(codeID: codeID, .declined))), Self.refused(id, it.number, .declined),
            ]
        }
        open[id]?.stage = .confirming
        return [.enrolSelf(id, it.task(.confirm(codeID: codeID, digits: digits)))]
    }

    private mutating func close(
        _ it: Open, _ id: LinkID, _ refusal: SelfEnrolmentRefusal, _ detail: String = ""
    ) -> [SiteEffect] {
        open[id] = nil
        return [Self.refused(id, it.number, refusal, detail)]
    }

    /// Ends a self-enrolment. A code that is still being made is cancelled once it exists. A confirmation continues.
    private mutating func end(_ it: Open, _ id: LinkID) -> [SiteEffect] {
        open[id] = nil
        switch it.stage {
        case .waiting(let codeID), .shown(let codeID, _):
            return [.enrolSelf(id, it.task(.end(codeID: codeID, .cancelled)))]
        case .beginning, .confirming: return []
        }
    }

    private static func say(_ id: LinkID, _ number: UInt32, _ stage: SelfEnrolmentNews.Stage) -> SiteEffect {
        .say(id, .selfEnrolment(SelfEnrolmentNews(number: number, stage: stage)))
    }

    private static func refused(
        _ id: LinkID, _ number: UInt32, _ refusal: SelfEnrolmentRefusal, _ detail: String = ""
    ) -> SiteEffect {
        say(id, number, .refused(refusal, detail: [UInt8](detail.utf8.prefix(SelfEnrolmentNews.detailLimit))))
    }
}
