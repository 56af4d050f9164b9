/// The statuses that a program ends with. `--help` lists them, and its manual page has them from there (Scripts/manual).
public protocol ExitStatuses: CaseIterable, RawRepresentable<Int32> {
    /// What the status means: a sentence without its capital letter and its end.
    var meaning: String { get }
}

extension ExitStatuses {
    /// What `--help` says of them: a line each.
    public static var help: String {
        var text = "Exit status:"
        for status in allCases {
            let number = String(status.rawValue)
            text += "\n" + String(repeating: " ", count: 5 - number.count) + number + "  " + status.meaning
        }
        return text
    }
}
