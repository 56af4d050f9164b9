import Hummingbird
import PageCore

/// Facts about a request, known before its page is made.
struct PageContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var visitor = PageVisitor()
    /// A form from this page.
    var form = Form()
    /// The query, after the question mark.
    var query = Form()
    var language = "en"

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
    }
}

/// The visitor, from a cookie, with a session or without.
struct PageVisitor: Sendable {
    var token: [UInt8] = []
    var session: PageSession?
    /// True if the answer must set the cookie.
    var isNew = false
}

/// An error message for a person in place of the page.
struct PageRefusal: Error {
    let status: HTTPResponse.Status
    /// The sentence's key.
    let key: String
}
