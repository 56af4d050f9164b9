import SiteTrust

/// A box's first message: its program, and how much of the site's data it has.
public struct SiteHello: Sendable, Equatable {
    /// Longest name of a program, in bytes.
    public static let programLimit = 32
    /// Link version (1) ‖ document version (8) ‖ generation (8) ‖ status number (8) ‖ status time (8) ‖ program (0…32).
    static let fixedBytes = 33

    /// Version of the pinned document.
    public let document: SiteOrdinal
    public let generation: SiteOrdinal
    /// Number of the box's signed status. Number and time are 0 if the box has no signed status of this generation.
    public let number: UInt64
    public let time: UInt64
    /// For example `boxagentd 2.0.0`, in printable ASCII.
    public let program: [UInt8]

    /// Throws `protocolViolation` for a program that is too long or not printable.
    public init(
        document: SiteOrdinal, generation: SiteOrdinal, number: UInt64, time: UInt64, program: [UInt8]
    ) throws(SiteLinkError) {
        guard program.count <= Self.programLimit, program.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .protocolViolation
        }
        self.document = document
        self.generation = generation
        self.number = number
        self.time = time
        self.program = program
    }

    init(reading fields: inout FieldReader) throws(SiteLinkError) {
        do throws(SiteError) {
            guard try fields.byte() == SiteGreeting.version else { throw SiteError.unknownVersion }
            let document = try SiteOrdinal(try fields.number())
            let generation = try SiteOrdinal(try fields.number())
            let number = try fields.number()
            let time = try fields.number()
            let program = try fields.take(fields.rest)
            guard SiteSeconds.isValid(time) else { throw SiteError.invalidField }
            self = try Self.checked(document, generation, number, time, program)
        } catch {
            throw error == .unknownVersion ? .unknownVersion : .protocolViolation
        }
    }

    private static func checked(
        _ document: SiteOrdinal, _ generation: SiteOrdinal, _ number: UInt64, _ time: UInt64, _ program: [UInt8]
    ) throws(SiteError) -> SiteHello {
        do throws(SiteLinkError) {
            return try SiteHello(
                document: document, generation: generation, number: number, time: time, program: program)
        } catch {
            throw .invalidField
        }
    }

    var bytes: [UInt8] {
        var bytes = [SiteGreeting.version]
        for number in [document.value, generation.value, number, time] { bytes.append(bigEndian: number) }
        return bytes + program
    }
}
