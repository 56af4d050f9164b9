import ControlProtocol

/// A request, and the person for whom it is made.
///
/// The site page makes requests on behalf of administrators who have signed in there. The server recognizes the page by
/// the user ID that the kernel gives, and refuses a name from any other client.
public struct SiteEnvelope: Equatable, Sendable {
    /// The name of an administrator, or nil for the client itself.
    public var onBehalfOf: String?
    public var request: SiteRequest

    public init(_ request: SiteRequest, onBehalfOf: String? = nil) {
        self.request = request
        self.onBehalfOf = onBehalfOf
    }

    public static func decode(_ input: RawSpan) throws(ControlMessageError) -> SiteEnvelope { try read(input) }

    public func encode(into output: inout MutableRawSpan) throws(ControlMessageError) -> Int {
        try write(secret: RawSpan(), to: &output)
    }
}

extension SiteEnvelope: ControlMessage {
    package var kind: SiteRequest.Kind { request.kind }

    package init(blank kind: SiteRequest.Kind) { self.init(SiteRequest(blank: kind)) }

    /// Codes the request's own fields and `as`, which is optional for every request.
    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.text("as", &onBehalfOf, limit: SiteControlLimits.nameBytes)
        try request.code(&coder)
    }
}
