/// The database's figures of the whole site, once a minute: numbers of boxes and phones, without names.
public struct SiteSurvey: Sendable, Equatable {
    /// When the joined box that is away longest was last linked, in seconds since 1970, to the hour. Nil if none has
    /// joined.
    public let oldestContact: UInt64?
    /// Joined boxes without a link to any server for longer than `silentDays`.
    public let silentBoxes: Int
    public let silentDays: Int
    /// Passwords that wrong PINs destroyed in the last seven days, and that were not stored again.
    public let wipes: Int
    /// Boxes that have reached their daily limit of codes for self-enrolment.
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

/// A linked box, to be recorded as seen.
public struct SeenBox: Sendable, Equatable {
    /// The row number in the database.
    public let box: Int64
    /// The program and version that the box claims, in printable ASCII.
    public let program: [UInt8]
}
