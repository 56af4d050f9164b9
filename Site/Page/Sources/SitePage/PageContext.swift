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

/// The visitor that a cookie identifies. A signed-in visitor has a session.
struct PageVisitor: Sendable {
    var token: [UInt8] = []
    var session: PageSession?
    /// The visitor's network, or nil if the page does not know it.
    var network: ClientNetwork?
    /// True if the request named an administrator without the proxy's secret.
    var lacksSecret = false
    /// True if the answer must set the cookie.
    var isNew = false
}

/// Thrown to show an error message, or another page, in place of the requested page.
struct PageRefusal: Error {
    let status: HTTPResponse.Status
    /// The key of the message's sentence, or with the status `seeOther` the path of the other page.
    let key: String
}
