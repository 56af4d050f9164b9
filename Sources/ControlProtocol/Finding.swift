/// The result of one check by `boxagent doctor`.
public struct Finding: Equatable, Sendable {
    public enum Level: String, Sendable {
        case good, warning, fault
    }
    public var level = Level.good
    public var name = ""
    public var text = ""
    /// The cure. Empty if nothing is wrong.
    public var cure = ""

    package init() {}

    public init(level: Level, name: String, text: String, cure: String) {
        self.level = level
        self.name = name
        self.text = text
        self.cure = cure
    }
}

extension Finding.Level: FieldWord {}

extension Finding: FieldRecord {
    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.word("level", &level)
        try coder.text("name", &name, limit: ControlLimits.labelBytes)
        try coder.text("text", &text, limit: ControlLimits.textBytes)
        try coder.text("cure", &cure, limit: ControlLimits.textBytes)
    }
}
