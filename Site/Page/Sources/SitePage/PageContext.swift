import Hummingbird
import PageCore

/// What is known of a request before its page is made.
struct PageContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var visitor = PageVisitor()
    /// A form that was sent, from this page.
    var form = Form()
    /// What stands behind the question mark.
    var query = Form()
    var language = "en"

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
    }
}

/// Who asks, by a cookie: it names a session, or nothing yet.
struct PageVisitor: Sendable {
    var token: [UInt8] = []
    var session: PageSession?
    /// The browser does not have the cookie yet, or is to have another one.
    var isNew = false
}

/// An answer that is no page of the list: what is wrong, for a person.
struct PageRefusal: Error {
    let status: HTTPResponse.Status
    /// The sentence's key.
    let key: String
}
