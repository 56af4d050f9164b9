import PhoneMessages

/// The values that the watcher has seen, so that only changes are shown.
struct ShownToWatcher: Sendable {
    private(set) var state: BoxState?
    private var offer = Offer.none
    private var warning: LogoutWarning?
    private var elevation: ElevationPrompt?

    /// Shows the values that have changed.
    mutating func update(_ state: BoxState?, _ context: inout ErrandContext) {
        for end in context.takeSessionEnds() { context.emit(.watched(.sessionEnded(end))) }
        if let state, state != self.state {
            self.state = state
            context.emit(.watched(.state(state)))
        }
        guard let told = context.conversation else { return }
        if told.offer != offer {
            offer = told.offer
            context.emit(.watched(.offer(offer)))
        }
        if told.warning != warning {
            warning = told.warning
            context.emit(.watched(.warning(warning)))
        }
        if told.elevation != elevation {
            elevation = told.elevation
            context.emit(.watched(.elevation(elevation)))
        }
    }
}
