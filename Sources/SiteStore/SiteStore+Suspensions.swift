import PostgreSQL
import SiteCore

/// Boxes whose key two machines have.
extension SiteStore {
    /// Nobody knows which machine is the right one: none of them is served.
    public func suspend(_ box: SiteBox, reason: String) async throws(SiteStoreError) {
        try await change { transaction, turn in
            _ = try await transaction.run(SiteStatements.suspend, [.integer(box.id), .integer(turn.change)])
            try await Self.audit(transaction, .server, "box suspended", .box(box.id, box.name), reason)
        }
    }

    /// The second machine was found: the box with that number, six digits, is served again.
    public func unsuspend(number: String, reason: String, by actor: Actor) async throws(SiteStoreError) -> SiteBox {
        try await administer(.unsuspendBox, by: actor) { transaction, turn, reach in
            let row = try await transaction.run(SiteStatements.boxNumbered, [.text(number)]).rows.first
            // What is not seen is not there, for whoever guesses numbers.
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
