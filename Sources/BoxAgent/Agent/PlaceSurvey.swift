import AgentCore
import EventLoop
import Glibc

/// Reads the identity of this machine and the storage of a directory, from the kernel's files and one in /etc.
struct PlaceSurvey {
    /// Limits of network interfaces, which containers have by the hundred, and of network cards.
    private static let (nameLimit, cardLimit) = (4_096, 32)
    /// Limit in bytes; enough for some hundred mounts.
    private static let mountBytes = 262_144

    var etc = "/etc"
    var sys = "/sys"

    func mark() -> MachineMark {
        // Bridges and tunnels have no device.
        let cards = Directories.names(in: "\(sys)/class/net", limit: Self.nameLimit).sorted()
            .filter { access("\(sys)/class/net/\($0)/device", F_OK) == 0 }.prefix(Self.cardLimit)
        let plugged = Set(cards.filter(isUSB))
        return MachineMark(
            machineID: Directories.firstLine(of: "\(etc)/machine-id"),
            productUUID: Directories.firstLine(of: "\(sys)/class/dmi/id/product_uuid"),
            builtIn: cards.filter { !plugged.contains($0) }.compactMap(address),
            addresses: cards.filter(plugged.contains).compactMap(address) + Radios.adapterAddresses())
    }

    /// Returns the address that the maker gave the card. The kernel keeps the maker's address after software has set
    /// another one.
    private func address(ofCard name: String) -> String? {
        if let address = NetworkCard.permanentAddress(of: name) { return address }
        let card = "\(sys)/class/net/\(name)"
        // NET_ADDR_PERM of <linux/netdevice.h>.
        guard Directories.firstLine(of: card + "/addr_assign_type") == "0" else { return nil }
        return Directories.firstLine(of: card + "/address")
    }

    private func isUSB(_ name: String) -> Bool {
        Directories.target(of: "\(sys)/class/net/\(name)/device/subsystem")?.hasSuffix("/usb") == true
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
