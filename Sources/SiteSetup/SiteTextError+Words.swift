import SiteTrust

extension SiteTextError {
    /// Returns the problem and its cure, for a text that should be `name` and begin with `prefix`.
    public func whatIsWrong(_ name: String, _ prefix: String) -> String {
        switch self {
        case .otherScheme: "this is not \(name), which must begin with \(prefix)"
        case .unknownVersion: "this is \(name) of a newer version; update boxsite and boxsited"
        case .damaged: "this is \(name), but damaged; copy all of it again"
        }
    }
}
