/// A tap that puts logouts off, while its effect is being written down.
struct PendingExtension: Sendable {
    let request: DeviceRequest
    /// When it is given up.
    let until: Duration
    /// Answers that are still to come.
    var outstanding = 0
    /// Something was put off.
    var isPutOff = false
    var hasFailed = false
}
