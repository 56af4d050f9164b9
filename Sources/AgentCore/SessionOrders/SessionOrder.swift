import ControlProtocol
import Names
import PhoneMessages
import VaultPort

/// An operation on one or several sessions, and the waiter that gets the result once all sessions have answered.
package struct SessionOrder: Sendable {
    package enum Waiter: Sendable {
        case phone(TapID, DeviceID)
        /// A command, and the sessions as they were shown to it.
        case command(ControlID, [KnownSession])
        /// The phone left. Contains its sessions at that time.
        case absence(DeviceID, [KnownSession])
        /// The machine is about to suspend.
        case sleep
        /// A limit ends the session.
        case limit
        /// A stored deadline ends the sessions of its owner.
        case unseen(DeviceID, user: [UInt8])
        /// The owners of sessions are unknown. The session is named for the log.
        case ownersUnknown(session: String)
        /// The result is not reported.
        case nobody
    }

    package let operation: SessionOperation
    package var waiter: Waiter
    /// The outcomes in the order of the sessions. An outcome is nil while its act is in progress.
    package private(set) var outcomes: [SessionOutcome?]

    /// - Parameter count: The number of sessions.
    package init(_ operation: SessionOperation, count: Int, for waiter: Waiter) {
        self.operation = operation
        self.waiter = waiter
        outcomes = Array(repeating: nil, count: count)
    }

    package mutating func note(_ outcome: SessionOutcome, at place: Int) {
        outcomes[place] = outcome
    }

    /// Returns all outcomes, or nil while one is missing.
    package var result: [SessionOutcome]? {
        let known = outcomes.compactMap { $0 }
        return known.count == outcomes.count ? known : nil
    }

    /// Returns the code of the worst outcome. A session that did not lock is worse than one that cannot lock.
    package static func code(_ operation: SessionOperation, _ outcomes: [SessionOutcome]) -> ResultCode {
        var worst = ResultCode.correct
        for outcome in outcomes {
            switch outcome {
            case .done: break
            case .gone: if worst == .correct { worst = .noSession }
            case .cannot: if worst == .correct { worst = operation == .lock ? .cannotLock : .boxFault }
            case .failed: worst = operation == .lock ? .didNotLock : .boxFault
            }
        }
        return worst
    }

    /// Returns the report about one session for a command.
    package static func listing(
        _ session: KnownSession, _ operation: SessionOperation, _ outcome: SessionOutcome
    ) -> SessionListing {
        var listing = session.listing
        switch outcome {
        case .done:
            listing.outcome = .done
            listing.state = operation == .lock ? .locked : operation == .unlock ? .active : .closing
        case .gone: (listing.outcome, listing.reason) = (.cannot, outcome.reason ?? "")
        case .cannot(let reason): (listing.outcome, listing.reason) = (.cannot, reason)
        case .failed(let reason): (listing.outcome, listing.reason) = (.failed, reason)
        }
        listing.reason = ControlLimits.cut(listing.reason)
        return listing
    }
}
