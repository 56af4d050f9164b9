import SiteControl

/// Where the enrolment of a phone is, as the page shows it.
public enum EnrolmentStep: Equatable, Sendable {
    /// No phone has come with the code.
    case waiting
    /// One has, and there are no digits yet.
    case begun
    /// Both show six digits, which a person compares.
    case comparing(String)
    case done
    /// No phone was enrolled; the key of the sentence that says why.
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

    /// What a browser that looks compares: the state's name. It says nothing that is secret.
    public var name: String {
        switch self {
        case .waiting: "waiting"
        case .begun: "begun"
        case .comparing: "comparing"
        case .done: "done"
        case .ended: "ended"
        }
    }

    /// Whether it goes on by itself.
    public var isUnderWay: Bool { self == .waiting || self == .begun }
}

/// A code's id in addresses and forms: 16 digits.
public enum EnrolmentID {
    private static let length = 8

    public static func text(_ id: [UInt8]) -> String {
        id.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// Nil where it is none.
    public static func bytes(_ text: String) -> [UInt8]? {
        let letters = Array(text.utf8)
        guard letters.count == 2 * length else { return nil }
        var id: [UInt8] = []
        for index in stride(from: 0, to: letters.count, by: 2) {
            guard let byte = UInt8(String(decoding: letters[index..<index + 2], as: UTF8.self), radix: 16) else {
                return nil
            }
            id.append(byte)
        }
        // One way to write each.
        return Self.text(id) == text ? id : nil
    }
}
