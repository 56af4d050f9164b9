/// Ties an answer to its request. The phone chooses it: 1 for the first request of a channel, one more for each.
public struct RequestID: RawRepresentable, Hashable, Sendable {
    /// 1…2³²−1; 0 stands in messages that answer nothing.
    public let rawValue: UInt32

    /// Refuses 0.
    public init?(rawValue: UInt32) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    private init(known: UInt32) {
        rawValue = known
    }

    /// The id of a channel's first request, its hello.
    public static let first = RequestID(known: 1)

    /// The id after this one; `nil` after 2³²−1, where the phone starts a new channel.
    public var next: RequestID? {
        rawValue == .max ? nil : RequestID(known: rawValue + 1)
    }
}
