/// The reason why boxphone stops: a sentence with the problem and its cure, and the exit status.
struct Complaint: Error, Sendable {
    let status: ExitStatus
    let sentence: String

    init(_ status: ExitStatus, _ sentence: String) {
        self.status = status
        self.sentence = sentence
    }
}
