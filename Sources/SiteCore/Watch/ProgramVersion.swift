/// The version in a program's description of itself, such as `boxagentd 2.1.0`.
public struct ProgramVersion: Sendable, Equatable {
    let major: Int
    let minor: Int
    let patch: Int

    /// Returns nil if the last word is not a version of three numbers.
    public init?(program: [UInt8]) {
        let word = program.split(separator: 0x20).last ?? []
        let parts = word.split(separator: 0x2E, omittingEmptySubsequences: false).map { digits -> Int? in
            // Refuses longer numbers, which our versions do not have and which might overflow.
            guard (1...6).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
        guard parts.count == 3, let major = parts[0], let minor = parts[1], let patch = parts[2] else { return nil }
        (self.major, self.minor, self.patch) = (major, minor, patch)
    }
}

/// A box's version compared with its server's. A difference in the third number does not count.
public enum ProgramAge: String, Sendable, CaseIterable {
    case same
    case older
    case newer
    /// The box states no version, or the server has none.
    case unknown

    init(_ program: [UInt8], beside server: ProgramVersion?) {
        guard let box = ProgramVersion(program: program), let server else {
            self = .unknown
            return
        }
        let (own, others) = ((server.major, server.minor), (box.major, box.minor))
        self = others == own ? .same : others < own ? .older : .newer
    }
}
