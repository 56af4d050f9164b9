import SiteTrust

/// A file with a site's signed data, for boxes that are cut off from the site. After a first line come frames as on a
/// link: document, box certificates, entries, and the signed status. All is signed; nothing is secret.
public enum SiteBundle {
    /// The first line.
    public static let firstLine = [UInt8]("boxsite-bundle/1\n".utf8)
    /// Most certificates in one bundle.
    public static let certificateLimit = 16_384
    /// Longest bundle, in bytes: a document, all certificates, all entries in separate messages, and a signed status.
    public static let byteLimit = 8 << 20

    /// Returns the message as it is stored in a bundle.
    public static func frame(_ message: MessageFromSite) -> [UInt8] { SiteFrames.frame(message.bytes) }
}

/// The reasons why a file is not a valid bundle.
public enum SiteBundleError: Error, Equatable, Sendable, CustomStringConvertible {
    case noBundle
    /// A newer version than 1, of the bundle or of data in it.
    case newerVersion
    /// The file ends before its signed status.
    case cutShort
    /// Data is in the wrong place or cannot be parsed.
    case damaged
    case tooLong

    /// A text that follows the file's name.
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

/// Reads a bundle in pieces of any length. Returns its messages in order, without verifying them.
///
/// ```
/// start ─first line─► document ─site document─► middle ─signed status─► end
/// ```
/// The reader stores at most one incomplete message.
public struct SiteBundleReader: Sendable {
    private enum Place { case start, document, middle, end }

    private var place = Place.start
    private var line: [UInt8] = []
    private var frames = SiteFrames(limit: SiteFrames.messageLimit)
    private var length = 0
    private var certificates = 0
    private var entries = 0

    public init() {}

    /// Returns the messages that these bytes complete.
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
        // Nothing may follow the signed status.
        if place == .end, frames.keptBytes > 0 { throw .damaged }
        return messages
    }

    /// Ends the input. Throws if the bundle is not complete.
    public func finish() throws(SiteBundleError) {
        switch place {
        case .start: throw .noBundle
        case .document, .middle: throw .cutShort
        case .end: break
        }
    }

    /// Returns the bytes after the first line.
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
