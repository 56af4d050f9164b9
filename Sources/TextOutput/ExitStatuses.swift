/// The exit statuses of a program. `--help` lists them, and Scripts/manual copies them to the manual page.
public protocol ExitStatuses: CaseIterable, RawRepresentable<Int32> {
    /// The meaning of the status: a sentence without its capital letter and full stop.
    var meaning: String { get }
}

extension ExitStatuses {
    /// The section of `--help`, with one line for each status.
    public static var help: String {
        var text = "Exit status:"
        for status in allCases {
            let number = String(status.rawValue)
            text += "\n" + String(repeating: " ", count: 5 - number.count) + number + "  " + status.meaning
        }
        return text
    }
}
