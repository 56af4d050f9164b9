extension SetupFacts {
    /// The findings as text for people: name and state.
    public var lines: [(name: String, text: String)] {
        [
            ("adapter", adapterText), ("BlueZ", bluetoothd == nil ? "not installed" : bluezVersion),
            ("agent", agent.isActive ? "running" : agent.exists ? "not running" : "not installed"),
            ("PAM", pamText), ("login screen", displayManager ?? "text consoles"),
            ("clock", clockIsSynchronised.map { $0 ? "synchronised" : "not synchronised" } ?? "unknown"),
        ]
    }

    private var adapterText: String {
        let names = adapters.isEmpty ? "none" : adapters.joined(separator: ", ")
        if isHardBlocked { return names + ", switched off on the machine itself" }
        return blockedSwitches.isEmpty ? names : names + ", blocked by software"
    }

    private var pamText: String {
        if hasModuleLine { return "pam_boxagent.so is in the common stacks" }
        return hasProfiles ? "pam_boxagent.so is not in all common stacks" : "pam_boxagent.so is not installed"
    }
}
