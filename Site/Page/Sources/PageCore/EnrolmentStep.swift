import SiteControl

/// The step of a phone's enrolment that the page shows.
public enum EnrolmentStep: Equatable, Sendable {
    /// No phone has used the code.
    case waiting
    /// A phone has used the code, but there are no digits yet.
    case begun
    /// Page and phone show six digits, which a person compares.
    case comparing(String)
    case done
    /// No phone was enrolled. The value is the key of a sentence with the reason.
    case ended(String)

    public init(_ listing: EnrolmentListing) {
        self =
            switch (listing.state, listing.digits) {
            case ("open", _): .waiting
            case ("claimed", _): .begun
            case ("shown", .some(let digits)) where Self.areDigits(digits): .comparing(digits)
            case ("done", _): .done
            case ("declined", _): .ended("enrolmentDeclined")
            case ("cancelled", _): .ended("enrolmentCancelled")
            case ("lost", _): .ended("enrolmentLost")
            default: .ended("enrolmentOver")
            }
    }

    private static func areDigits(_ text: String) -> Bool {
        text.utf8.count == 6 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// The step's name, which browsers compare. It contains no secret.
    public var name: String {
        switch self {
        case .waiting: "waiting"
        case .begun: "begun"
        case .comparing: "comparing"
        case .done: "done"
        case .ended: "ended"
        }
    }

    /// True if the enrolment continues without an action on this page.
    public var isUnderWay: Bool { self == .waiting || self == .begun }
}

/// A code's id in addresses and forms: 16 hexadecimal digits.
public enum EnrolmentID {
    private static let length = 8

    public static func text(_ id: [UInt8]) -> String { Hexadecimal.text(id) }

    /// Returns nil unless the text is an id.
    public static func bytes(_ text: String) -> [UInt8]? { Hexadecimal.bytes(text, count: length) }
}
