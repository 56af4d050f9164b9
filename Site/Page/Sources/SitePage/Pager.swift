import PageCore
import SiteControl

/// Links from one page of a list to the next.
enum Pager {
    static func model<Row>(
        _ page: ListPage<Row>, _ path: String, _ pairs: [(String, String)], _ words: Catalogue
    ) -> PageViews.Model {
        func link(_ number: Int) -> String { path + "?" + Form.query(pairs + [("page", "\(number)")]) }
        return [
            "hasPages": page.pages > 1, "isNumbered": true, "hasPrevious": page.number > 1,
            "hasNext": page.number < page.pages,
            "previous": link(page.number - 1), "next": link(page.number + 1),
            "pageWords": words.text("pageOf", "\(page.number)", "\(page.pages)"),
            "found": words.text("found", "\(page.total)"),
        ]
    }

    /// Links for a list that is read in parts.
    static func model(
        _ end: ListEnd, _ path: String, _ pairs: [(String, String)], _ words: Catalogue
    ) -> PageViews.Model {
        func link(_ name: String, _ place: String?) -> String {
            path + "?" + Form.query(pairs + [(name, place ?? "")])
        }
        let isAll = end.found < SiteControlLimits.listCounted
        return [
            "hasPages": end.before != nil || end.after != nil, "isNumbered": false,
            "hasPrevious": end.before != nil, "hasNext": end.after != nil,
            "previous": link("before", end.before), "next": link("after", end.after),
            "found": words.text(isAll ? "found" : "foundAtLeast", "\(end.found)"),
        ]
    }

    /// Makes the request begin at the query's position.
    static func turn(_ wish: inout ListWish, _ context: PageContext) {
        wish.limit = UInt64(PageLimits.rowsPerPage)
        (wish.after, wish.before) = (context.query["after"], context.query["before"])
    }

    static func span(_ seconds: UInt64, _ words: Catalogue) -> String {
        Moment.span(seconds).map { "\($0.number)\u{a0}" + words.plain($0.key) }.joined(separator: " ")
    }
}
