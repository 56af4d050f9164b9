import AgentConfiguration

/// The administrator's configuration, and the values that are fixed while the agent runs.
package struct Policy: Sendable {
    package var configuration: Configuration
    /// The digits that users see, four to six in ASCII. While the box belongs to a site, they come from the site.
    package internal(set) var boxID: [UInt8]
    /// The digits that users see while the box belongs to no site.
    package let ownBoxID: [UInt8]
    package internal(set) var isOfSite = false
    package let place: BoxPlace

    package var boxDigits: String { String(decoding: boxID, as: UTF8.self) }

    /// - Parameter ownBoxID: Nil if it equals `boxID`, because the box belongs to no site.
    package init(_ configuration: Configuration, boxID: [UInt8], ownBoxID: [UInt8]? = nil, place: BoxPlace = BoxPlace())
    {
        self.configuration = configuration
        self.boxID = boxID
        self.ownBoxID = ownBoxID ?? boxID
        self.place = place
    }
}
