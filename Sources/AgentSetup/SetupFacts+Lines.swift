extension SetupFacts {
    /// What was found, for people: a name and what there is of it.
    public var lines: [(name: String, text: String)] {
        [
            ("adapter", adapterText), ("BlueZ", bluetoothd == nil ? "not installed" : bluezVersion),
            ("agent", agent.isActive ? "runs" : agent.exists ? "does not run" : "not installed"),
            ("PAM", pamText), ("login screen", displayManager ?? "text consoles"),
            ("clock", clockIsSynchronised.map { $0 ? "kept right" : "not kept right" } ?? "unknown"),
        ]
    }

    private var adapterText: String {
        let names = adapters.isEmpty ? "none" : adapters.joined(separator: ", ")
        if isHardBlocked { return names + ", off by a switch of the machine" }
        return blockedSwitches.isEmpty ? names : names + ", blocked by software"
    }

    private var pamText: String {
        if hasModuleLine { return "pam_boxagent.so is in the common stacks" }
        return hasProfiles ? "pam_boxagent.so is not in all common stacks" : "pam_boxagent.so is not installed"
    }
}
