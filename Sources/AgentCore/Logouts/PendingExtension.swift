/// A tap that postpones logouts, while the extension is being stored.
struct PendingExtension: Sendable {
    let request: DeviceRequest
    /// The time after which the tap fails.
    let until: Duration
    /// The number of answers still missing.
    var outstanding = 0
    /// True once an end was postponed.
    var isPutOff = false
    var hasFailed = false
}
