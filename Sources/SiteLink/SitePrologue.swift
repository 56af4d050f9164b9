/// The data on which box and server must agree before the handshake, and whose hash goes into every message's tag.
enum SitePrologue {
    static let label = [UInt8]("boxlink-site/1".utf8)

    /// label ‖ purpose (1 a link, 2 joining) ‖ length of the greeting (2) ‖ greeting ‖ code id (joining only, 8).
    static func bytes(greeting: [UInt8], codeID: [UInt8]?) -> [UInt8] {
        var bytes = label
        bytes.append(codeID == nil ? 1 : 2)
        bytes.append(UInt8(truncatingIfNeeded: greeting.count >> 8))
        bytes.append(UInt8(truncatingIfNeeded: greeting.count))
        bytes += greeting
        bytes += codeID ?? []
        return bytes
    }
}
