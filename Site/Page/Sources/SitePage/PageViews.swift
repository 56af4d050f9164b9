import Hummingbird
import Mustache
import PageCore
import SiteControl

/// Renders pages as HTML.
struct PageViews: Sendable {
    private let library: MustacheLibrary
    private let catalogues: [String: Catalogue]
    private let forms: FormTokens

    /// The values for a template.
    typealias Model = [String: Any]

    /// The reason why an embedded template or catalogue cannot be used.
    struct Damaged: Error, CustomStringConvertible {
        let description: String
    }

    init(forms: FormTokens) throws {
        self.forms = forms
        MustacheContentTypes.register(EscapedByScalars(), named: EscapedByScalars.name)
        var library = MustacheLibrary()
        for (name, bytes) in PageTemplates.all {
            try library.register(
                "{{% CONTENT_TYPE:\(EscapedByScalars.name)}}" + String(decoding: bytes, as: UTF8.self), named: name)
        }
        self.library = library
        var catalogues: [String: Catalogue] = [:]
        for (language, bytes) in PageTemplates.catalogues {
            guard let catalogue = Catalogue(language, String(decoding: bytes, as: UTF8.self)) else {
                throw Damaged(description: "the catalogue \(language).po is damaged")
            }
            catalogues[language] = catalogue
        }
        self.catalogues = catalogues
    }

    func words(_ context: PageContext) -> Catalogue {
        catalogues[context.language] ?? catalogues["en"] ?? Catalogue.none
    }

    /// Renders the template `name`. The title is the sentence for `name` unless the model has a title.
    func page(
        _ name: String, _ model: Model = [:], _ context: PageContext, status: HTTPResponse.Status = .ok
    ) -> Response {
        let words = words(context)
        var all: Model = [
            "t": words.sentences, "lang": words.language, "token": forms.token(for: context.visitor.token),
            "title": words.plain("title-" + name),
            "previousLabel": words.plain("previous"), "nextLabel": words.plain("next"),
            "languages": PageLanguage.names.map { code, name in
                ["code": code, "name": name, "isCurrent": code == words.language] as Model
            },
        ]
        if let session = context.visitor.session {
            all["administrator"] = Markup.foreign(session.administrator)
            all["sections"] = ["boxes", "people", "proposals", "audit", "administrators", "status"].map { section in
                [
                    "href": "/" + section, "label": words.plain("title-" + section),
                    "isCurrent": (model["section"] as? String ?? name) == section,
                ] as Model
            }
        }
        all.merge(model) { $1 }
        let html = library.render(all, withTemplate: name) ?? ""
        return Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: html)))
    }

    static func redirect(_ path: String) -> Response {
        Response(status: .seeOther, headers: [.location: path])
    }

    // MARK: - Failures

    func refusal(_ refusal: PageRefusal, _ context: PageContext) -> Response {
        if refusal.status == .seeOther { return Self.redirect(refusal.key) }
        return page(
            "message", ["text": words(context).plain(refusal.key), "section": ""], context, status: refusal.status)
    }

    func failure(_ failure: DeskFailure, _ context: PageContext) -> Response {
        page("message", ["text": sentence(failure, context), "section": ""], context, status: failure.status)
    }

    /// Returns the failure's sentence. boxsited's own texts are in English, as on its command line.
    func sentence(_ failure: DeskFailure, _ context: PageContext) -> String {
        let words = words(context)
        switch failure.kind {
        case .away: return words.plain("errorAway") + " (" + failure.what + "; " + failure.cure + ")"
        case .busy: return words.plain("errorBusy")
        case .refused: return failure.what + (failure.cure.isEmpty ? "" : "; " + failure.cure)
        }
    }
}

extension DeskFailure {
    var status: HTTPResponse.Status {
        switch kind {
        case .away, .busy: .serviceUnavailable
        case .refused(.notPermitted): .forbidden
        case .refused(.notFound): .notFound
        case .refused(.busy), .refused(.timedOut): .serviceUnavailable
        case .refused(.invalid), .refused(.declined): .unprocessableContent
        case .refused(.fault): .internalServerError
        }
    }
}

extension Catalogue {
    static let none = Catalogue("en")
}

/// Escapes by scalars. Mustache's own escaping works on characters, and a quotation mark with a combining scalar is a
/// different character. Such a mark would not be escaped, and would end an attribute.
struct EscapedByScalars: MustacheContentType {
    static let name = "ESCAPED"

    func escapeText(_ text: String) -> String { Markup.escaped(text) }
}
