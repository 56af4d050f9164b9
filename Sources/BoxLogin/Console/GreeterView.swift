/// What stands on the screen, before it is laid out.
struct GreeterView: Equatable, Sendable {
    /// Nil: not known now, and not shown.
    var boxID: [UInt8]?
    /// What to do.
    var instruction: String
    /// What the radio does, or what is wrong.
    var state: String
    /// The way that is always there.
    var fallback: String
    /// Something that has just happened.
    var notice: String?
}
