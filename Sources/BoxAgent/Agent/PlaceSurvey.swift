import AgentCore
import EventLoop
import Glibc

/// Reads what the system says of this machine, and of the storage of a directory: files of the kernel's own making, and one in /etc.
struct PlaceSurvey {
    /// More network cards than a box has.
    private static let cardLimit = 64
    /// Some hundred mounts, in bytes.
    private static let mountBytes = 262_144

    var etc = "/etc"
    var sys = "/sys"

    func mark() -> MachineMark {
        var addresses: [String] = []
        for name in Directories.names(in: "\(sys)/class/net", limit: Self.cardLimit).sorted() {
            let card = "\(sys)/class/net/\(name)"
            // Those that their makers gave them (NET_ADDR_PERM of <linux/netdevice.h>): no bridges, and none that software changed.
            guard access(card + "/device", F_OK) == 0, Directories.firstLine(of: card + "/addr_assign_type") == "0",
                let address = Directories.firstLine(of: card + "/address")
            else { continue }
            addresses.append(address)
        }
        return MachineMark(
            machineID: Directories.firstLine(of: "\(etc)/machine-id"),
            productUUID: Directories.firstLine(of: "\(sys)/class/dmi/id/product_uuid"),
            addresses: addresses + Radios.adapterAddresses())
    }

    /// The name of the file system that forgets what is in the directory; nil: none does, as far as can be told.
    static func loss(of directory: String) -> String? {
        guard let (type, device) = Directories.storage(of: directory) else { return nil }
        guard type == ForgetfulStorage.overlay else { return ForgetfulStorage.name(ofType: type) }
        let upper = ForgetfulStorage.upperDirectory(ofOverlay: device, mounts: mounts())
        return upper.flatMap(Directories.storage).flatMap { ForgetfulStorage.name(ofType: $0.type) }
            .map { "an overlay on \($0)" }
    }

    private static func mounts() -> String {
        guard let file = fopen("/proc/self/mountinfo", "re") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: mountBytes)
        let count = fread(&bytes, 1, mountBytes, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
