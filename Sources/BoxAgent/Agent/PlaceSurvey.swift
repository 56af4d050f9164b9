import AgentCore
import EventLoop
import Glibc

/// Reads the identity of this machine and the storage of a directory, from the kernel's files and one in /etc.
struct PlaceSurvey {
    /// Limit of network cards; no box has more.
    private static let cardLimit = 64
    /// Limit in bytes; enough for some hundred mounts.
    private static let mountBytes = 262_144

    var etc = "/etc"
    var sys = "/sys"

    func mark() -> MachineMark {
        var addresses: [String] = []
        for name in Directories.names(in: "\(sys)/class/net", limit: Self.cardLimit).sorted() {
            let card = "\(sys)/class/net/\(name)"
            // Only permanent addresses (NET_ADDR_PERM of <linux/netdevice.h>): no bridges, none that software changed.
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

    /// Returns the name of the file system if it loses the directory's content; nil if it seems to keep it.
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
