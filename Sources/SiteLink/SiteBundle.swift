import SiteTrust

/// What a site has signed, in a file: for boxes that are cut off from it. A first line, then frames as on a link, with the messages
/// of a site: its document, box certificates, entries, and at the end the head over them. All of it is signed; none of it is secret.
public enum SiteBundle {
    /// The first line.
    public static let firstLine = [UInt8]("boxsite-bundle/1\n".utf8)
    /// Most certificates in one bundle.
    public static let certificateLimit = 16_384
    /// Longest bundle, in bytes: a document, as many certificates, a full set of entries in messages of their own, and a head.
    public static let byteLimit = 8 << 20

    /// The message as it stands in a bundle.
    public static func frame(_ message: MessageFromSite) -> [UInt8] { SiteFrames.frame(message.bytes) }
}

/// Why something is no bundle.
public enum SiteBundleError: Error, Equatable, Sendable, CustomStringConvertible {
    case noBundle
    /// A newer version than 1, of the bundle or of something in it.
    case newerVersion
    /// It ends before its head.
    case cutShort
    /// Something stands where it may not.
    case damaged
    case tooLong

    /// To be read behind the name of the thing.
    public var description: String {
        switch self {
        case .noBundle: "is not a bundle: a bundle begins with boxsite-bundle/1"
        case .newerVersion: "is of a newer version; update this program"
        case .cutShort: "ends too early; copy all of it again"
        case .damaged: "is damaged; copy it again, or make a new one"
        case .tooLong: "is longer than a bundle may be"
        }
    }
}

/// Reads a bundle as it comes, in pieces of any length: what it says, in its order, none of it verified.
///
/// It keeps one message that is not complete, and no more, whatever comes.
public struct SiteBundleReader: Sendable {
    private enum Place { case start, document, middle, end }

    private var place = Place.start
    private var line: [UInt8] = []
    private var frames = SiteFrames(limit: SiteFrames.messageLimit)
    private var length = 0
    private var certificates = 0
    private var entries = 0

    public init() {}

    /// The messages that have become whole with these bytes.
    public mutating func add(_ bytes: [UInt8]) throws(SiteBundleError) -> [MessageFromSite] {
        length += bytes.count
        guard length <= SiteBundle.byteLimit else { throw .tooLong }
        frames.add(try skipLine(bytes))
        var messages: [MessageFromSite] = []
        do throws(SiteLinkError) {
            while place != .start, let bytes = try frames.next() {
                messages.append(try MessageFromSite(parsing: bytes))
            }
        } catch {
            throw error == .unknownVersion ? .newerVersion : .damaged
        }
        for message in messages { try look(at: message) }
        // Nothing stands behind the head.
        if place == .end, frames.keptBytes > 0 { throw .damaged }
        return messages
    }

    /// The bytes end here. Throws where the bundle does not.
    public func finish() throws(SiteBundleError) {
        switch place {
        case .start: throw .noBundle
        case .document, .middle: throw .cutShort
        case .end: break
        }
    }

    /// What stands behind the first line.
    private mutating func skipLine(_ bytes: [UInt8]) throws(SiteBundleError) -> [UInt8] {
        guard place == .start else { return bytes }
        let missing = SiteBundle.firstLine.count - line.count
        line += bytes.prefix(missing)
        guard SiteBundle.firstLine.starts(with: line) else {
            let scheme = SiteBundle.firstLine.prefix { $0 != UInt8(ascii: "/") }
            throw line.starts(with: scheme) ? .newerVersion : .noBundle
        }
        if line.count == SiteBundle.firstLine.count { place = .document }
        return [UInt8](bytes.dropFirst(missing))
    }

    private mutating func look(at message: MessageFromSite) throws(SiteBundleError) {
        switch (place, message) {
        case (.document, .document): place = .middle
        case (.middle, .certificate):
            certificates += 1
            guard certificates <= SiteBundle.certificateLimit else { throw .tooLong }
        case (.middle, .entries(let batch)):
            entries += batch.count
            guard entries <= RevocationSet.entryLimit else { throw .tooLong }
        case (.middle, .head): place = .end
        default: throw .damaged
        }
    }
}
