import ControlProtocol
import SiteControl
import SiteCore
import SiteStore

extension SiteControlConnection {
    func listPart(_ wish: ListWish) async throws(SiteStoreError) {
        guard let reach = AdministratorPolicy.reach(of: who, SiteRequest.list(wish).act) else { return }
        // The database does not accept a text with a NUL.
        guard [wish.search, wish.user].allSatisfy({ !($0 ?? "").utf8.contains(0) }) else {
            return await refuse("this search text is not valid", "leave out invisible characters")
        }
        var choice = ListChoice(
            within: reach, limit: Int(clamping: max(1, wish.limit)), counting: SiteControlLimits.listCounted)
        choice.search = wish.search.flatMap { $0.isEmpty ? nil : $0 }
        choice.user = wish.user
        if let text = wish.after ?? wish.before {
            guard let place = ListPlace(text) else {
                return await refuse("this position in the list is not valid", "start again")
            }
            choice.from = wish.after == nil ? .before(place) : .after(place)
        }
        switch wish.list {
        case .boxes: try await listBoxes(wish, choice, reach)
        case .phones: try await listPhones(wish, choice, reach)
        case .waiting: try await listWaiting(choice)
        }
    }

    private func listBoxes(
        _ wish: ListWish, _ chosen: ListChoice, _ reach: AdministratorReach
    ) async throws(SiteStoreError) {
        if let number = wish.number {
            if let box = try await server.store.box(numbered: number), reach.sees(box.box.groups) {
                await sayBoxes([box])
            }
            return await say(.done(text: ""))
        }
        var choice = chosen
        switch wish.state {
        case nil: break
        case "linked": choice.linked = (rows: await linkedRows(), areWanted: true)
        case "away":
            choice.state = .joined
            choice.linked = (rows: await linkedRows(), areWanted: false)
        case let state?:
            guard let state = SiteBox.State(rawValue: state) else {
                return await refuse("this is not a state that a box can have", "start again")
            }
            choice.state = state
        }
        let part = try await server.store.boxes(choice)
        await sayBoxes(part.rows)
        var end = listEnd(of: part) { ListPlace(key: String(decoding: $0.box.number, as: UTF8.self), row: $0.box.id) }
        (end.joined, end.invited, end.suspended) = try await server.store.boxCounts(within: reach)
        await say(.listEnd(end))
        await say(.done(text: ""))
    }

    /// Returns the rows of linked boxes. The database does not know which boxes are linked.
    private func linkedRows() async -> [Int64] { await server.ask { machine, _ in machine.linkedBoxes } }

    func sayBoxes(_ boxes: [ListedBox]) async {
        let contacts = await server.ask { machine, now in
            boxes.map { listed in BoxContact(of: listed.box.id, at: machine).map { ($0, now - $0.since) } }
        }
        for (listed, contact) in zip(boxes, contacts) { await say(.box(listing(listed, contact))) }
    }

    private func listPhones(
        _ wish: ListWish, _ choice: ListChoice, _ reach: AdministratorReach
    ) async throws(SiteStoreError) {
        if let id = wish.phone {
            if let phone = try await server.store.phone(beginningWith: id), reach.sees(phone.groups) {
                await say(.phone(listing(phone)))
            }
            return await say(.done(text: ""))
        }
        let part = try await server.store.phones(choice)
        for phone in part.rows { await say(.phone(listing(phone))) }
        await say(.listEnd(listEnd(of: part) { ListPlace(key: $0.owner.name, row: $0.id) }))
        await say(.done(text: ""))
    }

    private func listWaiting(_ choice: ListChoice) async throws(SiteStoreError) {
        let part = try await server.store.waitingBoxes(choice)
        for row in part.rows { await say(.waitingBox(listing(row.box))) }
        await say(.listEnd(listEnd(of: part, \.place)))
        await say(.done(text: ""))
    }

    private func listEnd<Row: Sendable>(of part: ListPart<Row>, _ place: (Row) -> ListPlace) -> ListEnd {
        var end = ListEnd()
        end.found = part.found
        end.before = part.hasBefore ? part.rows.first.map { place($0).text } : nil
        end.after = part.hasAfter ? part.rows.last.map { place($0).text } : nil
        return end
    }
}
