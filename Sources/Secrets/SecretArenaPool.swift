/// Regions for the keys of many handshakes and their channels; fifteen regions share one guarded allocation.
///
/// An owner that makes many handshakes, such as the agent on a box, passes one pool to each of them. A guarded
/// allocation costs four mappings and most of a Diffie-Hellman operation (docs/decisions/038-site-server.md).
public final class SecretArenaPool: Sendable {
    /// Number of unused groups that stay allocated.
    static let idleGroups = 1

    private let groups: [SecretArenaGroup]

    /// - Parameter groups: Maximum number of allocations of fifteen regions. Beyond that, callers get their own
    ///   allocations.
    public init(groups: Int = 2) {
        self.groups = (0..<max(groups, Self.idleGroups)).map { _ in SecretArenaGroup() }
    }

    // SAFETY: the caller takes over the region, of `SecretArena.regionBytes` bytes.
    /// Returns a zeroed region and its group. The group is nil if the region is a separate guarded allocation.
    func takeRegion() -> (memory: UnsafeMutableRawPointer, group: SecretArenaGroup?) {
        // Groups with an allocation come first, so that unused allocations can be freed.
        for group in groups {
            if let memory = group.take() { return (memory, group) }
        }
        for group in groups {
            if let memory = group.allocate() { return (memory, group) }
        }
        return (SecretArena.allocate(SecretArena.regionBytes), nil)
    }

    // SAFETY: the region came from `takeRegion` with that group, and the caller no longer uses it.
    /// Takes back a region that its arena has wiped.
    func giveBack(_ memory: UnsafeMutableRawPointer, to group: SecretArenaGroup) {
        group.giveBack(memory)
        if groups.prefix(Self.idleGroups).contains(where: { $0 === group }) { return }
        group.freeIfIdle()
    }
}
