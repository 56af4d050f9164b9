import CSodium
import Synchronization

/// Regions that wait for the next handshake: at most `idleRegionsLimit`, each wiped.
///
/// The one who makes handshakes often, such as the agent on a box, owns a pool and hands it to each of them.
public final class SecretArenaPool: Sendable {
    /// The most regions that are kept, each of four pages with its guards; more are freed.
    public static var idleRegionsLimit: Int { 16 }

    /// Addresses of the idle regions; 0 is an empty place. A region is owned by whoever took its address out.
    private let places = (0..<idleRegionsLimit).map { _ in Place() }

    /// An object of its own: Embedded Swift 6.3 cannot end an InlineArray of atomics.
    private final class Place: Sendable {
        let address = Atomic<UInt>(0)
    }

    public init() {}

    deinit {
        for place in places {
            // SAFETY: an address in a place is an idle region's; nobody else can take it any more.
            if let memory = UnsafeMutableRawPointer(bitPattern: place.address.load(ordering: .acquiring)) {
                sodium_free(memory)
            }
        }
    }

    /// A region of zeros: an idle one, or a new one.
    func takeRegion() -> UnsafeMutableRawPointer {
        for place in places {
            // SAFETY: the exchange hands a region to exactly one caller.
            if let memory = UnsafeMutableRawPointer(bitPattern: place.address.exchange(0, ordering: .acquiring)) {
                return memory
            }
        }
        return SecretArena.allocateRegion()
    }

    /// Takes over a region that its arena has wiped.
    func giveBack(_ memory: UnsafeMutableRawPointer) {
        let address = UInt(bitPattern: memory)
        for place in places
        where place.address.compareExchange(expected: 0, desired: address, ordering: .releasing).exchanged {
            return
        }
        // SAFETY: the region was made by `sodium_malloc` and this call owns it.
        sodium_free(memory)
    }
}
