/// Regions for the keys of many handshakes and their channels: fifteen share one guarded allocation.
///
/// The one who makes handshakes often, such as the agent on a box, owns a pool and hands it to each of them. A guarded allocation
/// costs four mappings and most of a Diffie-Hellman operation (docs/decisions/038-site-server.md).
public final class SecretArenaPool: Sendable {
    /// Groups that are kept though nobody uses them.
    static let idleGroups = 1

    private let groups: [SecretArenaGroup]

    /// - Parameter groups: How many allocations of fifteen regions there are at most. Whoever comes when all are taken gets a region
    ///   of its own.
    public init(groups: Int = 2) {
        self.groups = (0..<max(groups, Self.idleGroups)).map { _ in SecretArenaGroup() }
    }

    // SAFETY: the caller takes over the region, of `SecretArena.regionBytes` bytes.
    /// A region of zeros, and the group that it belongs to: nil where it is a guarded allocation of its own.
    func takeRegion() -> (memory: UnsafeMutableRawPointer, group: SecretArenaGroup?) {
        // Those that exist first: what nobody uses can be freed.
        for group in groups {
            if let memory = group.take() { return (memory, group) }
        }
        for group in groups {
            if let memory = group.allocate() { return (memory, group) }
        }
        return (SecretArena.allocate(SecretArena.regionBytes), nil)
    }

    // SAFETY: the region came from `takeRegion` with that group, and the caller uses it no more.
    /// Takes over a region that its arena has wiped.
    func giveBack(_ memory: UnsafeMutableRawPointer, to group: SecretArenaGroup) {
        group.giveBack(memory)
        if groups.prefix(Self.idleGroups).contains(where: { $0 === group }) { return }
        group.freeIfIdle()
    }
}
