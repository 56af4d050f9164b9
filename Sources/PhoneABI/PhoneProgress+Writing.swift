import PhoneCore

extension HostWriter {
    /// Writes a record: a word and a text, usually the digits of the box.
    @inline(never)
    mutating func record(_ word: String, _ text: String, more: Int = 0) {
        record(word, items: 1 + more)
        self.text(text)
    }
}

extension PhoneProgress {
    func write(_ writer: inout HostWriter) {
        switch self {
        case .searching(let boxID): writer.record("searching", boxID)
        case .connecting(let boxID): writer.record("connecting", boxID)
        case .passedBy(let boxID, let problem):
            writer.record("passedBy", boxID, more: 1)
            writer.text(problem.word)
        case .retrying(let boxID): writer.record("retrying", boxID)
        case .lesserCarrier(let boxID, let shortcoming):
            writer.record("lesserCarrier", boxID, more: 1)
            writer.text(shortcoming)
        case .connected(let boxID): writer.record("connected", boxID)
        case .compare(let digits): writer.record("compare", digits)
        case .waitingForAdministrator: writer.record("waitingForAdministrator")
        case .request(.waitingForPrompt): writer.record("waitingForPrompt")
        case .request(.delivered): writer.record("delivered")
        case .request(.passwordAccepted): writer.record("passwordAccepted")
        case .request(.passwordMustChange): writer.record("passwordMustChange")
        #if !hasFeature(Embedded)
            case .phoneEnrolled(let phone): writer.record("phoneEnrolled", phone.boxID)
        #endif
        }
    }
}
