/// What the database says of the whole site, once a minute: of boxes and phones, by number, without names.
public struct SiteSurvey: Sendable, Equatable {
    /// When the joined box that has been away longest was linked to some server, in seconds since 1970, to the hour; nil: none has joined.
    public let oldestContact: UInt64?
    /// Joined boxes that no server has had a link of for longer than `silentDays`.
    public let silentBoxes: Int
    public let silentDays: Int
    /// Passwords that too many wrong PINs destroyed in the last seven days, and that were not stored anew since.
    public let wipes: Int
    /// Boxes that have asked within a day for as many codes as they may, for people who enrol phones of their own.
    public let askingBoxes: Int

    public static let wipeDays = 7

    public init(oldestContact: UInt64?, silentBoxes: Int, silentDays: Int, wipes: Int, askingBoxes: Int) {
        self.oldestContact = oldestContact
        self.silentBoxes = silentBoxes
        self.silentDays = silentDays
        self.wipes = wipes
        self.askingBoxes = askingBoxes
    }
}

/// A box that is linked, to be written down as seen.
public struct SeenBox: Sendable, Equatable {
    /// The row's number in the database.
    public let box: Int64
    /// Printable ASCII, what the box says it is.
    public let program: [UInt8]
}
