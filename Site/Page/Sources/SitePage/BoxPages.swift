import Hummingbird
import PageCore
import SiteControl
import TextOutput

/// The site's boxes: a list with a search, and a page for each box.
struct BoxPages: Sendable {
    let server: PageServer

    func add(to router: Router<PageContext>) {
        router.get("/boxes", use: list)
        router.get("/box", use: show)
    }

    @Sendable private func list(_ request: Request, _ context: PageContext) async throws -> Response {
        let administrator = try server.administrator(context)
        let (status, alarms) = try await server.desk.status(as: administrator)
        let filter = BoxFilter(text: context.query.trimmed("q"), state: context.query.trimmed("state"))
        var wish = filter.wish
        Pager.turn(&wish, context)
        let (rows, end) = try await server.desk.boxes(wish, as: administrator)
        let words = server.views.words(context)
        var model: PageViews.Model = [
            "rows": rows.map { row($0, status, words) }, "hasRows": !rows.isEmpty,
            "search": filter.text, "hasBoxes": end.found > 0 || filter != BoxFilter(text: "", state: ""),
            "states": BoxFilter.State.allCases.map { state in
                [
                    "value": state.rawValue, "label": words.plain("filter-" + state.rawValue),
                    "isChosen": state == filter.state,
                ] as PageViews.Model
            },
            "joined": "\(end.joined)", "linked": "\(status.links)", "invited": "\(end.invited)",
            "suspended": "\(end.suspended)", "hasSuspended": end.suspended > 0,
            "doubt": status.doubt.map(Printable.text) ?? "", "hasDoubt": status.doubt != nil, "alarms": alarms,
        ]
        model.merge(server.done(["removedBox"], context)) { $1 }
        model.merge(Pager.model(end, "/boxes", [("q", filter.text), ("state", filter.state.rawValue)], words)) { $1 }
        return server.page("boxes", model, context)
    }

    @Sendable private func show(_ request: Request, _ context: PageContext) async throws -> Response {
        let administrator = try server.administrator(context)
        let number = context.query.trimmed("number")
        let status = try await server.desk.status(as: administrator).now
        let found = try await server.desk.box(number, as: administrator)
        guard let found else { throw PageRefusal(status: .notFound, key: "errorNoBox") }
        let words = server.views.words(context)
        var model = row(found, status, words)
        model["section"] = "boxes"
        model["title"] = words.plain("title-box") + " " + found.number
        model["key"] = found.key.map(Hex.text) ?? "–"
        model["isSuspended"] = found.state == "suspended"
        model["remove"] = "/box/remove?" + Form.query([("number", found.number)])
        model["unsuspend"] = "/box/unsuspend?" + Form.query([("number", found.number)])
        model.merge(server.done(["unsuspended"], context)) { $1 }
        return server.page("box", model, context)
    }

    static func place(of number: String) -> String { "/box?" + Form.query([("number", number)]) }

    private func row(_ box: BoxListing, _ status: SiteStatus, _ words: Catalogue) -> PageViews.Model {
        let state = box.state == "joined" ? (box.address == nil ? "away" : "linked") : box.state
        return [
            "name": Markup.foreign(box.name), "number": box.number,
            "href": Self.place(of: box.number),
            "groups": PageText.text(of: box.groups),
            "state": state, "stateLabel": words.plain("box-" + state),
            "seen": box.address != nil ? words.plain("now") : box.seen.map(Moment.text) ?? words.plain("never"),
            "linkedFor": box.linkedSeconds.map { Pager.span($0, words) } ?? "–",
            "program": box.program.map(Markup.foreign) ?? "–", "address": box.address.map(Markup.foreign) ?? "–",
            "news": box.took.map { words.plain($0 >= status.number ? "newsCurrent" : "newsBehind") } ?? "–",
            "isBehind": box.took.map { $0 < status.number } ?? false,
        ]
    }
}
