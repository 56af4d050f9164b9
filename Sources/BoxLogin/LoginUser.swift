/// A user whom a login may be started for: a name that no program takes for an option, a path or a list.
///
/// The agent has checked the name of an enrolled phone's user; this program does not rely on it.
struct LoginUser: Equatable, Sendable {
    let name: [UInt8]

    /// LOGIN_NAME_MAX of Linux, without the NUL.
    static let limitBytes = 255

    init?(_ name: [UInt8]) {
        guard !name.isEmpty, name.count <= Self.limitBytes, name.first != UInt8(ascii: "-") else { return nil }
        // No blanks, control characters, separators of paths and of passwd(5); bytes above 0x7F may be letters.
        let odd = Array("/:\u{7F}".utf8)
        guard name.allSatisfy({ $0 > 0x20 && !odd.contains($0) }) else { return nil }
        guard name != Array(".".utf8), name != Array("..".utf8) else { return nil }
        self.name = name
    }
}
