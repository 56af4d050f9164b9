import PAMProtocolEmbedded
import CPAM
import PAMLogicEmbedded

/// The record of a delivery on a PAM handle, with the connection that reports the handle's later calls to the agent
/// (docs/decisions/013-pam-module.md). It is C memory, because libpam keeps the pointer. It has no secret.
struct DeliveryRecord {
    private var descriptor: Int32
    /// The process that delivered. A forked child has a copy of the handle, but its pam_end does not end the login.
    private let process: pid_t
    /// The identity of the socket. A program may replace all descriptors, and its files must not get our messages.
    private let device: dev_t
    private let inode: ino_t
    private var isExpiryTold = false
    private(set) var isVerdictTold = false

    /// Takes the connection and attaches the record to the handle. On failure, closes the connection and returns false.
    // SAFETY: the record is allocated here and freed in `release`, which libpam calls exactly once for it. Only one
    // thread uses a handle at a time, as libpam demands.
    static func attach(_ connection: consuming AgentConnection, to handle: PAMHandle) -> Bool {
        let descriptor = connection.keep()
        var status = stat()
        guard fstat(descriptor, &status) == 0,
            let memory = malloc(MemoryLayout<DeliveryRecord>.stride)
        else {
            _ = close(descriptor)
            return false
        }
        let record = memory.bindMemory(to: DeliveryRecord.self, capacity: 1)
        record.initialize(
            to: DeliveryRecord(
                descriptor: descriptor, process: getpid(), device: status.st_dev, inode: status.st_ino))
        guard pam_set_data(handle.pointer, name.cString, memory, releaseDeliveryRecord) == PAM_SUCCESS else {
            _ = close(descriptor)
            free(memory)
            return false
        }
        return true
    }

    private init(descriptor: Int32, process: pid_t, device: dev_t, inode: ino_t) {
        self.descriptor = descriptor
        self.process = process
        self.device = device
        self.inode = inode
    }

    /// Runs `body` on the handle's record, unless the record is missing or concluded, or its socket was replaced.
    // SAFETY: only `attach` of this module stores data under this name.
    static func withLive(_ handle: PAMHandle, _ body: (inout DeliveryRecord) -> Void) {
        guard let record = handle.data(name)?.assumingMemoryBound(to: DeliveryRecord.self) else { return }
        if record.pointee.isOurs { body(&record.pointee) }
    }

    mutating func tellVerdict() {
        guard !isVerdictTold else { return }
        isVerdictTold = true
        send(.verdictReached)
    }

    /// Returns whether a credential was delivered on the handle, even if that delivery is concluded.
    static func isAttached(_ handle: PAMHandle) -> Bool { handle.data(name) != nil }

    /// Reports an expired password once, although chauthtok comes in two rounds.
    mutating func tellExpired() {
        guard !isExpiryTold else { return }
        isExpiryTold = true
        send(.passwordExpired)
    }

    /// Reports that no module accepted the credential, and closes the connection.
    mutating func concludeRefused() {
        guard process == getpid() else { return }
        send(.notAccepted)
        shut()
    }

    /// Closes the connection after a failed delivery. The agent learns nothing else.
    mutating func concludeUndelivered() {
        shut()
    }

    /// Reports pam_end with this status.
    mutating func conclude(status: Int32) {
        guard isOurs, process == getpid() else { return }
        let bare = status & ~(Int32(truncatingIfNeeded: PAM_DATA_SILENT) | Int32(PAM_DATA_REPLACE))
        send(.ended(status: UInt64(truncatingIfNeeded: bare & Int32.max)))
        shut()
    }

    private static let name: StaticString = "pam_boxagent/delivery"

    /// True if the descriptor is open and still the same socket.
    private var isOurs: Bool {
        var status = stat()
        return descriptor >= 0 && fstat(descriptor, &status) == 0
            && status.st_dev == device && status.st_ino == inode
    }

    /// Reports an event to the agent. A forked child may report too, because it belongs to the same login.
    func send(_ event: PAMEvent) {
        // A full or closed connection loses the event. The agent then reports "unknown", and no login is delayed.
        _ = AgentMessage.send(.event(event), on: descriptor)
    }

    private mutating func shut() {
        // shutdown also affects the copies of the descriptor in forked children, so the agent sees the end now.
        _ = shutdown(descriptor, Int32(truncatingIfNeeded: SHUT_RDWR))
        _ = close(descriptor)
        descriptor = -1
    }
}

/// libpam's cleanup. Runs at pam_end, and with PAM_DATA_REPLACE when a retry attaches a new record. In the second case,
/// the replaced record is already concluded.
// SAFETY: `data` is what `attach` allocated, and libpam never passes it on again.
private func releaseDeliveryRecord(_: OpaquePointer?, _ data: UnsafeMutableRawPointer?, _ status: Int32) {
    guard let data else { return }
    let record = data.assumingMemoryBound(to: DeliveryRecord.self)
    record.pointee.conclude(status: status)
    free(data)
}
