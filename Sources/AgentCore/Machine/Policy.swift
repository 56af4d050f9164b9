import AgentConfiguration

/// What the administrator decides, and what does not change while the agent runs.
package struct Policy: Sendable {
    package var configuration: Configuration
    /// The digits that people see: four to six in ASCII, those of the box's site while it belongs to one.
    package internal(set) var boxID: [UInt8]
    /// Those that they see where it belongs to none.
    package let ownBoxID: [UInt8]
    /// The box belongs to a site.
    package internal(set) var isOfSite = false
    package let place: BoxPlace

    package var boxDigits: String { String(decoding: boxID, as: UTF8.self) }

    /// - Parameter ownBoxID: Nil: the same, since the box belongs to no site.
    package init(_ configuration: Configuration, boxID: [UInt8], ownBoxID: [UInt8]? = nil, place: BoxPlace = BoxPlace())
    {
        self.configuration = configuration
        self.boxID = boxID
        self.ownBoxID = ownBoxID ?? boxID
        self.place = place
    }
}
