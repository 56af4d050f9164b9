import ConfigurationFile

extension Configuration {
    /// Returns the contradictions between keys. Each names the file and line that last set one of the contradicting
    /// keys. The fallback is `path`, for keys that all have their defaults. But the defaults do not contradict each
    /// other.
    func contradictions(_ origins: [String: [ConfigurationOrigin]], path: String) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        func add(_ keys: [String], _ what: String, _ cure: String) {
            let place = keys.compactMap { origins[$0]?.last }.max { $1.isBehind($0) }
            problems.append(
                ConfigurationProblem(path: place?.path ?? path, line: place?.line, what: what, cure: cure))
        }
        let times = autoLogout
        if times.minimumSeconds > times.maximumSeconds {
            add(
                ["auto_logout.minimum_seconds", "auto_logout.maximum_seconds"],
                "auto_logout.minimum_seconds is more than auto_logout.maximum_seconds",
                "raise maximum_seconds or lower minimum_seconds")
        } else if times.defaultSeconds == 0 {
            if !times.mayBeOff {
                add(
                    ["auto_logout.may_be_off", "auto_logout.default_seconds"],
                    "auto_logout.may_be_off is false, but auto_logout.default_seconds is 0",
                    "set default_seconds to the time before the automatic logout")
            }
        } else if !(times.minimumSeconds...times.maximumSeconds).contains(times.defaultSeconds) {
            add(
                ["auto_logout.default_seconds", "auto_logout.minimum_seconds", "auto_logout.maximum_seconds"],
                "auto_logout.default_seconds is not between minimum_seconds and maximum_seconds",
                "write 0 or a number from \(times.minimumSeconds) to \(times.maximumSeconds)")
        }
        if let both = elevation.services.first(where: login.services.contains) {
            add(
                ["elevation.services", "login.services"],
                "\(both) is in both login.services and elevation.services",
                "list it in one of them: login.services is for logins, elevation.services for requests like sudo's")
        }
        if presence.nearDBm - presence.farDBm < PresenceThresholds.gapDB {
            add(
                ["presence.near_dbm", "presence.far_dbm"],
                "presence.near_dbm must be at least \(PresenceThresholds.gapDB) above presence.far_dbm",
                "raise near_dbm or lower far_dbm, for instance near_dbm = -60 and far_dbm = -80")
        }
        if limits.halfOpenLinks > limits.links {
            add(
                ["limits.half_open_links", "limits.links"], "limits.half_open_links is more than limits.links",
                "raise links or lower half_open_links")
        }
        return problems
    }
}
