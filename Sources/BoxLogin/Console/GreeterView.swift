/// The texts of the screen, before their layout.
struct GreeterView: Equatable, Sendable {
    /// Nil if the box ID is unknown now. It is then not shown.
    var boxID: [UInt8]?
    /// The user's next step.
    var instruction: String
    /// The state of the radio, or the problem.
    var state: String
    /// The way to log in that always works.
    var fallback: String
    /// The last event, such as a refused tap.
    var notice: String?
}
