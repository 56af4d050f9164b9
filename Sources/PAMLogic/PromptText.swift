/// The text for the user while a program waits for a tap.
public enum PromptText {
    private static let boxIDBytes = 16

    /// - Parameter isAsking: True if the phone shows a question. Otherwise the user must tap first.
    public static func line(boxID: [UInt8], isAsking: Bool, waitSeconds: UInt64) -> TextLine {
        var line = TextLine("Box")
        if !boxID.isEmpty {
            line.append(" ")
            line.append(foreign: [UInt8](boxID.prefix(boxIDBytes)))
        }
        line.append(isAsking ? ": allow this on your phone, or wait " : ": tap Log in on your phone, or wait ")
        line.append(waitSeconds)
        line.append(waitSeconds == 1 ? " second" : " seconds")
        line.append(" to type a password.")
        return line
    }
}
