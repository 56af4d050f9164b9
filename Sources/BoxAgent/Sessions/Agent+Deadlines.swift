import Vault
import VaultPort

/// The deadline of an absent phone as it is written down: a phone that comes and goes all the time pays for it.
///
/// Where the budget is used up, the deadline that stands stays: it is the earlier one, so that an agent that is ended
/// meanwhile logs out too early rather than never. What it should be is written once the count is.
extension Agent {
    func keepDeadline(_ deadline: Duration?, of device: DeviceID) async {
        let stands = standingDeadlines.contains(device)
        let user = owner(of: device)
        // Nothing is left out that would leave a session without its deadline.
        if stands, await !mayWrite(for: .device(device), user: user) {
            wantedDeadlines[device] = .some(deadline)
            return
        }
        wantedDeadlines[device] = nil
        await write(deadline, of: device)
    }

    /// Writes what was left out.
    func settleDeadline(of device: DeviceID) async {
        guard let wanted = wantedDeadlines.removeValue(forKey: device) else { return }
        await write(wanted, of: device)
    }

    private func write(_ deadline: Duration?, of device: DeviceID) async {
        if let deadline {
            standingDeadlines.insert(device)
            await store("a deadline") { vault throws(VaultError) in
                try await vault.setDeadline(.awayLogout, device: device, at: deadline)
            }
        } else if standingDeadlines.remove(device) != nil {
            await store("a deadline's end") { vault throws(VaultError) in
                try await vault.clearDeadline(.awayLogout, device: device)
            }
        }
    }

    /// The user for whom a device pays: of its session, or of its open channel.
    private func owner(of device: DeviceID) -> [UInt8] {
        sessions.values.first { $0.device == device }?.target.user ?? records.values.first { $0.id == device }?.user
            ?? []
    }
}
