import PostgreSQL
import SiteCore

/// Boxes whose key is on two machines.
extension SiteStore {
    /// Suspends a box. It is unknown which machine is the right one, so neither is served.
    public func suspend(_ box: SiteBox, reason: String) async throws(SiteStoreError) {
        try await change { transaction, turn in
            _ = try await transaction.run(SiteStatements.suspend, [.integer(box.id), .integer(turn.change)])
            try await Self.audit(transaction, .server, "box suspended", .box(box.id, box.name), reason)
        }
    }

    /// Serves the box with that number (six digits) again, because the second machine was found.
    public func unsuspend(number: String, reason: String, by actor: Actor) async throws(SiteStoreError) -> SiteBox {
        try await administer(.unsuspendBox, by: actor) { transaction, turn, reach in
            let row = try await transaction.run(SiteStatements.boxNumbered, [.text(number)]).rows.first
            // An invisible box counts as missing, so that guessed numbers reveal nothing.
            guard let box = try row.map({ try SiteBox($0) }), reach.sees(box.groups) else {
                throw SiteStoreError.noSuchBox(number)
            }
            guard reach.changes(box.groups) else { throw Self.beyond }
            guard box.state == .suspended else { throw SiteStoreError.notSuspended(number) }
            _ = try await transaction.run(SiteStatements.unsuspend, [.integer(box.id), .integer(turn.change)])
            try await Self.audit(transaction, actor, "box unsuspended", .box(box.id, box.name), reason)
            return box
        }
    }
}
