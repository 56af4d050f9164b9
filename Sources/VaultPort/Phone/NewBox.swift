/// The data about a box in an enrolment code.
public struct NewBox: Equatable, Sendable {
    public var boxID: [UInt8]
    public var boxKey: [UInt8]
    public var authorityKey: [UInt8]
    public var serial: UInt64
    public var user: [UInt8]
    public var label: [UInt8]

    public init(
        boxID: [UInt8], boxKey: [UInt8], authorityKey: [UInt8], serial: UInt64, user: [UInt8], label: [UInt8]
    ) {
        self.boxID = boxID
        self.boxKey = boxKey
        self.authorityKey = authorityKey
        self.serial = serial
        self.user = user
        self.label = label
    }
}
