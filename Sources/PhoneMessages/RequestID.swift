/// Matches an answer with its request. The phone numbers the requests of a channel from 1.
public struct RequestID: RawRepresentable, Hashable, Sendable {
    /// 1…2³²−1. Pushed messages have 0.
    public let rawValue: UInt32

    /// Returns nil for 0.
    public init?(rawValue: UInt32) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    private init(known: UInt32) {
        rawValue = known
    }

    /// The id of a channel's first request, its hello.
    public static let first = RequestID(known: 1)

    /// Returns the next id, or nil after 2³²−1, when the phone starts a new channel.
    public var next: RequestID? {
        rawValue == .max ? nil : RequestID(known: rawValue + 1)
    }
}
