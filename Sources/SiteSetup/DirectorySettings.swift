import ConfigurationFile
import SiteCore

/// The table `[directory]` of the configuration.
public struct DirectorySettings: Equatable, Sendable {
    static let keys = ["user", "probe", "local_users", "groups", "limit", "interval"]

    /// The user that boxsite-directory runs as. Nil if the site has no directory.
    public var user: String?
    public var probe = ""
    public var localUsers: Set<String> = []
    public var mappings: [DirectoryTerms.Mapping] = []
    public var limit = 20
    public var interval = DirectoryTerms.longestInterval

    public init() {}

    /// The terms for lookups, or nil without a directory.
    package var terms: DirectoryTerms? {
        user == nil
            ? nil
            : DirectoryTerms(
                probe: probe, localUsers: localUsers, mappings: mappings, limit: limit,
                interval: interval)
    }

    /// Returns false if the key or its value is not allowed.
    mutating func take(_ entry: TOMLDocument.Entry) -> Bool {
        switch (entry.key, entry.value) {
        case ("user", .text(let text)) where text.isEmpty || Self.isName(text): user = text.isEmpty ? nil : text
        case ("probe", .text(let text)) where text.isEmpty || Self.isName(text): probe = text
        case ("limit", .integer(let number)) where DirectoryTerms.limits.contains(number): limit = number
        case ("interval", .integer(let number)) where DirectoryTerms.intervals.contains(number): interval = number
        case ("local_users", .array(let values)) where values.count <= DirectoryTerms.localLimit:
            let names = values.compactMap(Self.text).filter(Self.isName)
            localUsers = Set(names)
            return names.count == values.count
        case ("groups", .array(let values)) where values.count <= DirectoryTerms.mappingLimit:
            mappings = values.compactMap(Self.text).compactMap(Self.mapping)
            return mappings.count == values.count
        default: return false
        }
        return true
    }

    private static func isName(_ text: String) -> Bool { SitePhone.isUserName(Array(text.utf8)) }

    private static func text(_ value: TOMLDocument.Value) -> String? {
        if case .text(let text) = value { text } else { nil }
    }

    /// Parses a name, a colon and a number. Names of groups have no colon (group(5)).
    private static func mapping(_ text: String) -> DirectoryTerms.Mapping? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = UInt16(parts[1]), number > 0, (1...255).contains(parts[0].utf8.count),
            SitePhone.isPrintable(String(parts[0]))
        else { return nil }
        return DirectoryTerms.Mapping(name: String(parts[0]), number: number)
    }
}
