import EventLoop

/// The quality of the simulated air, for tests and users. It is perfect by default.
public struct LoopbackConditions: Sendable, Equatable {
    /// The MTU that the phone requests, 23 to 517 bytes.
    public var attMTU = 517
    /// The interval of connection events, for which packets wait, in milliseconds. 0 means no waiting.
    public var connectionIntervalMilliseconds = 0
    /// If set, neighbouring packets change places, by a generator with this seed.
    public var reorderSeed: UInt64?
    /// If set, every notification whose number is a multiple of this is lost.
    public var dropNotificationEvery: Int?
    /// If set, the link ends after this number of packets in both directions.
    public var loseLinkAfterPackets: Int?

    /// A file with the signal strength in dBm, read at each measurement. Nil means that the radio cannot measure. While
    /// the file is empty or missing, measurements fail.
    public var signalFile: String?

    public init() {}

    /// The current result of a measurement.
    var signalStrength: Int? {
        signalFile.flatMap { Directories.firstLine(of: $0) }.flatMap { Int($0) }
    }
}

/// The packets of a link, counted for benchmarks and tests.
public struct LoopbackPacketCounts: Sendable, Equatable {
    /// Write commands to the transfer characteristic.
    public var sent = 0
    /// Notifications of the transfer characteristic.
    public var received = 0
    /// All others: MTU, reads, subscription and their responses.
    public var overhead = 0

    public init() {}
}

/// Selects packets that change places, by SplitMix64, so that a seed always gives the same air.
struct PacketShuffler: Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// Returns whether the next packet waits for its successor, as one in three does.
    mutating func holdsBack() -> Bool {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return (mixed ^ (mixed >> 31)) % 3 == 0
    }
}
