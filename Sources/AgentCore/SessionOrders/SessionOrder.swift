import ControlProtocol
import Names
import PhoneMessages
import VaultPort

/// Something that is done to one or several sessions at once, and whoever is told when all of it has an answer.
package struct SessionOrder: Sendable {
    package enum Waiter: Sendable {
        case phone(TapID, DeviceID)
        /// A command, and the sessions as it was shown them.
        case command(ControlID, [KnownSession])
        /// The phone went; its sessions as they were then.
        case absence(DeviceID, [KnownSession])
        /// The machine is about to sleep.
        case sleep
        /// A limit ends the session.
        case limit
        /// A kept deadline ends what its owner has.
        case unseen(DeviceID, user: [UInt8])
        /// Nobody knows whose sessions are. For the log.
        case ownersUnknown(session: String)
        /// Whoever waited is told nothing any more.
        case nobody
    }

    package let operation: SessionOperation
    package var waiter: Waiter
    /// In the order of the sessions; nil while it is under way.
    package private(set) var outcomes: [SessionOutcome?]

    /// - Parameter count: Sessions.
    package init(_ operation: SessionOperation, count: Int, for waiter: Waiter) {
        self.operation = operation
        self.waiter = waiter
        outcomes = Array(repeating: nil, count: count)
    }

    package mutating func note(_ outcome: SessionOutcome, at place: Int) {
        outcomes[place] = outcome
    }

    /// All outcomes; nil while one is missing.
    package var result: [SessionOutcome]? {
        let known = outcomes.compactMap { $0 }
        return known.count == outcomes.count ? known : nil
    }

    /// The worst outcome counts: a session that did not lock is worse than one that cannot.
    package static func code(_ operation: SessionOperation, _ outcomes: [SessionOutcome]) -> ResultCode {
        var worst = ResultCode.correct
        for outcome in outcomes {
            switch outcome {
            case .done: break
            // What cannot be locked may still be ended; what cannot be ended is no session that there is.
            case .cannot: if worst == .correct { worst = operation == .lock ? .cannotLock : .noSession }
            case .failed: worst = operation == .lock ? .didNotLock : .boxFault
            }
        }
        return worst
    }

    /// What a command is told of one session.
    package static func listing(
        _ session: KnownSession, _ operation: SessionOperation, _ outcome: SessionOutcome
    ) -> SessionListing {
        var listing = session.listing
        switch outcome {
        case .done:
            listing.outcome = .done
            listing.state = operation == .lock ? .locked : operation == .unlock ? .active : .closing
        case .cannot(let reason): (listing.outcome, listing.reason) = (.cannot, reason)
        case .failed(let reason): (listing.outcome, listing.reason) = (.failed, reason)
        }
        listing.reason = ControlLimits.cut(listing.reason)
        return listing
    }
}
