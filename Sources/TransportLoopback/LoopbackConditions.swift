import EventLoop

/// How good the air is, as a test or a person asks for it; by default it is perfect.
public struct LoopbackConditions: Sendable, Equatable {
    /// What the phone asks for, 23 to 517 bytes.
    public var attMTU = 517
    /// Packets wait for the next connection event, so many milliseconds apart; 0: no waiting.
    public var connectionIntervalMilliseconds = 0
    /// Neighbouring packets change places, by a generator with this seed.
    public var reorderSeed: UInt64?
    /// Every so manieth notification is lost.
    public var dropNotificationEvery: Int?
    /// The link ends after so many packets either way.
    public var loseLinkAfterPackets: Int?

    /// A file with the signal strength in dBm, read at each measurement; nil: the radio cannot measure. While the file
    /// is empty or missing a measurement fails.
    public var signalFile: String?

    public init() {}

    /// What a measurement says now.
    var signalStrength: Int? {
        signalFile.flatMap { Directories.firstLine(of: $0) }.flatMap { Int($0) }
    }
}

/// Packets of a link, counted for benchmarks and tests.
public struct LoopbackPacketCounts: Sendable, Equatable {
    /// Write commands of the transfer characteristic.
    public var sent = 0
    /// Notifications of the transfer characteristic.
    public var received = 0
    /// Everything else: MTU, reads, subscription, their answers.
    public var overhead = 0

    public init() {}
}

/// Which packets change places: SplitMix64, so that a seed gives the same air again.
struct PacketShuffler: Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// One packet in three waits for its successor.
    mutating func holdsBack() -> Bool {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return (mixed ^ (mixed >> 31)) % 3 == 0
    }
}
