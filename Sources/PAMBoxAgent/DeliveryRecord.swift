import PAMProtocolEmbedded
import CPAM
import PAMLogicEmbedded

/// The record on a PAM handle after a delivery: the connection that reports the handle's later calls to the agent
/// (docs/decisions/013-pam-module.md). It is C memory, because libpam keeps the pointer, and
/// holds nothing secret.
struct DeliveryRecord {
    private var descriptor: Int32
    /// Who delivered. A forked child has a copy of the handle, and its pam_end says nothing about the login.
    private let process: pid_t
    /// Which socket the descriptor was. A program that closes all descriptors and opens others must not get our
    /// messages into its files.
    private let device: dev_t
    private let inode: ino_t
    private var isExpiryTold = false
    private(set) var isVerdictTold = false

    /// Takes over the connection and hangs it on the handle. False, with the connection closed, when it cannot.
    // SAFETY: the record is allocated here and freed in `release`, which libpam calls exactly once for it; a handle
    // is used by one thread at a time, as libpam demands.
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

    /// Runs `body` on the handle's record, if a credential was delivered on it and is not concluded.
    // SAFETY: under this name there is never anything but `attach`'s record, on this handle and of this module.
    static func withLive(_ handle: PAMHandle, _ body: (inout DeliveryRecord) -> Void) {
        guard let record = handle.data(name)?.assumingMemoryBound(to: DeliveryRecord.self) else { return }
        if record.pointee.isOurs { body(&record.pointee) }
    }

    mutating func tellVerdict() {
        guard !isVerdictTold else { return }
        isVerdictTold = true
        send(.verdictReached)
    }

    /// Tells if a credential was delivered on the handle, concluded or not.
    static func isAttached(_ handle: PAMHandle) -> Bool { handle.data(name) != nil }

    /// chauthtok comes in two rounds; the agent hears of it once.
    mutating func tellExpired() {
        guard !isExpiryTold else { return }
        isExpiryTold = true
        send(.passwordExpired)
    }

    /// Ends the report of this delivery, because no module has accepted the credential.
    mutating func concludeRefused() {
        guard process == getpid() else { return }
        send(.notAccepted)
        shut()
    }

    /// The module could not hand the credential on: the agent sees the connection end, and knows nothing.
    mutating func concludeUndelivered() {
        shut()
    }

    /// pam_end with this status.
    mutating func conclude(status: Int32) {
        guard isOurs, process == getpid() else { return }
        let bare = status & ~(Int32(truncatingIfNeeded: PAM_DATA_SILENT) | Int32(PAM_DATA_REPLACE))
        send(.ended(status: UInt64(truncatingIfNeeded: bare & Int32.max)))
        shut()
    }

    private static let name: StaticString = "pam_boxagent/delivery"

    /// Still open, and still the socket that was delivered over.
    private var isOurs: Bool {
        var status = stat()
        return descriptor >= 0 && fstat(descriptor, &status) == 0
            && status.st_dev == device && status.st_ino == inode
    }

    /// Reports an event to the agent. A forked child may do so too, because it is the same login.
    func send(_ event: PAMEvent) {
        // A full or closed connection loses the event: the agent then says "unknown", and no login waits.
        _ = AgentMessage.send(.event(event), on: descriptor)
    }

    private mutating func shut() {
        // Also for copies that forked children hold: the agent sees the end now.
        _ = shutdown(descriptor, Int32(truncatingIfNeeded: SHUT_RDWR))
        _ = close(descriptor)
        descriptor = -1
    }
}

/// libpam's cleanup: at pam_end, and with PAM_DATA_REPLACE when a retry hangs a new record on the handle; in the
/// second case the first record is concluded already.
// SAFETY: `data` is what `attach` allocated, and libpam never gives it to anybody again.
private func releaseDeliveryRecord(_: OpaquePointer?, _ data: UnsafeMutableRawPointer?, _ status: Int32) {
    guard let data else { return }
    let record = data.assumingMemoryBound(to: DeliveryRecord.self)
    record.pointee.conclude(status: status)
    free(data)
}
