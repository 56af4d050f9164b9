import SiteTrust

/// The part of the site to which a right applies.
public enum AdministratorReach: Sendable, Equatable {
    case everywhere
    case groups(SiteGroups)

    /// Returns whether something in these groups is visible. One common group is enough.
    public func sees(_ groups: SiteGroups) -> Bool {
        switch self {
        case .everywhere: true
        case .groups(let own): own.meet(groups)
        }
    }

    /// Returns whether something in these groups may be changed. All must be one's own, as the change affects them all.
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
