import Testing

@testable import AgentCore

@Suite("Storage that forgets")
struct ForgetfulStorageTests {
    /// The mounts of a Debian system with overlayroot(8).
    private static let lines = """
        20 1 0:19 / /sys rw,nosuid shared:1 - sysfs sysfs rw
        28 1 0:26 / /hidden rw,relatime - overlay overlay rw,lowerdir=/a,upperdir=/b,workdir=/c
        29 1 0:26 / / rw,relatime shared:1 - overlay overlayroot rw,lowerdir=/ro,upperdir=/media/root-rw/overlay,workdir=/w
        30 29 0:27 / /usr ro,relatime - overlay overlay ro,lowerdir=/a:/b
        31 29 0:25 / /media/root-rw rw,relatime shared:3 - tmpfs tmpfs-root rw
        short line
        """

    @Test("tmpfs and ramfs forget, and neither a disk nor an overlay does by itself")
    func plain() {
        #expect(ForgetfulStorage.name(ofType: 0x0102_1994) == "tmpfs")
        #expect(ForgetfulStorage.name(ofType: 0x8584_58F6) == "ramfs")
        #expect(ForgetfulStorage.name(ofType: 0xEF53) == nil)
        #expect(ForgetfulStorage.name(ofType: ForgetfulStorage.overlay) == nil)
    }

    @Test(
        "An overlay says where it writes; one that is only read, and one that is hidden, say nothing",
        arguments: [
            ("0:26", "/media/root-rw/overlay"), ("0:27", nil), ("0:25", nil), ("0:99", nil), ("", nil),
        ])
    func overlays(device: String, upper: String?) {
        #expect(ForgetfulStorage.upperDirectory(ofOverlay: device, mounts: Self.lines) == upper)
        #expect(ForgetfulStorage.upperDirectory(ofOverlay: device, mounts: "") == nil)
    }
}
