import SiteTrust

/// The part of the site to which a right applies.
public enum AdministratorReach: Sendable, Equatable {
    case everywhere
    case groups(SiteGroups)

    /// Returns whether a box or phone with these groups is visible. One common group is enough.
    public func sees(_ groups: SiteGroups) -> Bool {
        switch self {
        case .everywhere: true
        case .groups(let own): own.meet(groups)
        }
    }

    /// Returns whether a box or phone with these groups may be changed. The right must cover every one of the groups,
    /// because the change affects all of them.
    public func changes(_ groups: SiteGroups) -> Bool {
        switch self {
        case .everywhere: true
        case .groups(let own): groups.numbers.allSatisfy(own.numbers.contains)
        }
    }
}

public enum AdministrativeSubject: Sendable, Equatable {
    /// The site itself.
    case site
    /// Boxes and phones, with the groups of each.
    case things([SiteGroups])
}
