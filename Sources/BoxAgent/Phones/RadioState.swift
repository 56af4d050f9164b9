/// What the radio does, in words for status and doctor.
enum RadioState: Equatable, Sendable, CustomStringConvertible {
    case starting
    case advertising
    /// No further link can be taken.
    case full
    case failed(String)

    var isWorking: Bool {
        switch self {
        case .advertising, .full: true
        case .starting, .failed: false
        }
    }

    var description: String {
        switch self {
        case .starting: "starting"
        case .advertising: "advertising"
        case .full: "not advertising: as many phones are connected as limits.links allows"
        case .failed(let reason): reason
        }
    }
}
