import SiteTrust

/// How far somebody reaches with an act.
public enum AdministratorReach: Sendable, Equatable {
    case everywhere
    case groups(SiteGroups)

    /// Whether something that is in these groups is seen: one in common is enough.
    public func sees(_ groups: SiteGroups) -> Bool {
        switch self {
        case .everywhere: true
        case .groups(let own): own.meet(groups)
        }
    }

    /// Whether something that is in these groups may be changed: all of them have to be one's own, or it would change for others.
    public func changes(_ groups: SiteGroups) -> Bool {
        switch self {
        case .everywhere: true
        case .groups(let own): groups.numbers.allSatisfy(own.numbers.contains)
        }
    }
}

/// What an act is about.
public enum AdministrativeSubject: Sendable, Equatable {
    /// The site itself.
    case site
    /// Boxes and phones with these groups: one element for each.
    case things([SiteGroups])
}
