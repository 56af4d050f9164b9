import ControlProtocol

/// A request, and for whom it is made.
///
/// The site's page asks for administrators who have signed in there. Whether it is the page that asks, the server knows by the kernel:
/// from everybody else a name is refused.
public struct SiteEnvelope: Equatable, Sendable {
    /// The name of an administrator; nil: the one who asks.
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

    /// The request's own fields, and `as`: every request there is works with it and without.
    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.text("as", &onBehalfOf, limit: SiteControlLimits.nameBytes)
        try request.code(&coder)
    }
}
