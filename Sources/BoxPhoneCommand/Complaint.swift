/// Why boxphone stops: a sentence that says what is wrong and what to do next, and the exit status.
struct Complaint: Error, Sendable {
    let status: ExitStatus
    let sentence: String

    init(_ status: ExitStatus, _ sentence: String) {
        self.status = status
        self.sentence = sentence
    }
}
