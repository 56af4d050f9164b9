import SiteTrust

/// The box's identity for its site. It is fixed while the agent runs.
package struct SiteBox: Sendable {
    /// X25519 public key, 32 bytes.
    package let publicKey: [UInt8]
    /// The kernel's id of this boot, 16 bytes.
    package let boot: [UInt8]
    /// Name and version, printable ASCII, at most 32 bytes.
    package let program: [UInt8]
    /// Any bits, as the seed of the random choices.
    package let random: UInt64

    package init(publicKey: [UInt8], boot: [UInt8], program: [UInt8], random: UInt64) {
        self.publicKey = publicKey
        self.boot = boot
        self.program = program
        self.random = random
    }

    /// The identity of a box that never joins a site.
    package static let none = SiteBox(publicKey: [], boot: [], program: [], random: 0)

    /// Returns nil if the boot has no id.
    func clock(_ now: Duration) -> BootClock? {
        BootClock(boot: boot, seconds: UInt64(max(0, now.components.seconds)))
    }
}
