import Names
import PhoneMessages

/// Refuses phones whose user's name belongs to another account now (docs/decisions/057-user-names.md).
extension AgentMachine {
    mutating func numbered(_ accepted: [DeviceID], _ others: [DeviceID], _ out: inout Output) {
        for device in others where devicesOfOthers.insert(device).inserted {
            logins.withdraw(of: device, as: .notAllowed, &out)
            elevations.withdraw(of: device, as: .notAllowed, &out)
            for channel in phones.channels(of: device) { elevations.phoneLeft(channel, &out) }
        }
        for device in accepted where devicesOfOthers.remove(device) != nil {
            guard let user = phones.sheet(of: device)?.record.user else { continue }
            for channel in phones.channels(of: device) where phones.understands(.elevation, channel) {
                elevations.phoneShows(user, on: channel, &out)
            }
        }
    }

    /// Returns whether the credential of that program may still leave the agent.
    package func mayHandOver(to program: ProgramID) -> Bool {
        deliveries.device(of: program).map { !devicesOfOthers.contains($0) } ?? false
    }
}
