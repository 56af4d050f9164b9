import CBluetooth
import EventLoop
import Glibc

/// Operations that L2CAP listeners and connections share.
enum L2CAPSocket {
    /// The kernel grants credits for bytes that it received, even if they are still unread, and ends a channel whose
    /// receive buffer is full. So one window of our segments must fit, with 1,280 bytes of bookkeeping for each
    /// link-layer packet. Linux doubles the number and caps it at net.core.rmem_max.
    static let receiveBufferBytes: Int32 = 212_992
    /// The bytes that may wait for the radio before senders must wait.
    static let sendBufferBytes: Int32 = 65_536

    static func make() throws(SocketError) -> Int32 {
        let descriptor = cbluetooth_l2cap()
        guard descriptor >= 0 else {
            throw .system(SystemError(code: -descriptor, attempt: "make an L2CAP socket"))
        }
        return descriptor
    }

    /// Binds the socket, then sets its options. The address's kind makes it a Bluetooth LE socket, which must be bound
    /// before it accepts these options.
    static func bind(
        _ descriptor: Int32, to address: BluetoothAddress, psm: UInt16, _ options: L2CAPOptions
    ) throws(SystemError) {
        _ = try checked(
            cbluetooth_l2cap_bind(descriptor, address.bytes, address.kind.rawValue, psm), "bind an L2CAP socket")
        _ = try checked(
            cbluetooth_l2cap_prepare(descriptor, Int32(clamping: options.receiveMTU), options.security.rawValue),
            "set an L2CAP socket's options")
    }

    static func sendMTU(of descriptor: Int32) -> Int? {
        let mtu = cbluetooth_l2cap_send_mtu(descriptor)
        return mtu > 0 ? Int(mtu) : nil
    }

    static func enlargeBuffers(of descriptor: Int32) {
        // If this fails, the channel still works, with less data in flight.
        _ = cbluetooth_l2cap_set_buffers(descriptor, sendBufferBytes, receiveBufferBytes)
    }
}

extension BluetoothAddress {
    /// The address of the peer, or nil if the peer has disconnected.
    init?(peerOf descriptor: Int32) {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        var type: Int32 = 0
        guard cbluetooth_l2cap_peer(descriptor, &bytes, &type) == 0, let kind = Kind(rawValue: type) else { return nil }
        self.init(bytes: bytes, kind: kind)
    }
}

extension SeqPacketConnection {
    /// Opens an L2CAP channel of Bluetooth LE, over an existing connection or a new one.
    ///
    /// - Parameter adapter: The address of our adapter. With `.any`, the kernel chooses one by the peer's address
    ///   alone.
    /// - Returns: The connection, and the longest SDU that the peer accepts.
    public static func connect(
        from adapter: BluetoothAddress, to peer: BluetoothAddress, psm: UInt16, options: L2CAPOptions,
        on loop: EpollLoop, until deadline: Duration
    ) async throws(SocketError) -> (connection: SeqPacketConnection, sendMTU: Int) {
        let descriptor = try L2CAPSocket.make()
        let writable = WaitPoint(on: loop)
        let mark = writable.mark()
        let token: WatchToken
        do throws(SystemError) {
            try L2CAPSocket.bind(descriptor, to: adapter, psm: 0, options)
            L2CAPSocket.enlargeBuffers(of: descriptor)
            let begun = cbluetooth_l2cap_connect(descriptor, peer.bytes, peer.kind.rawValue, psm)
            if begun < 0, begun != -EINPROGRESS { throw SystemError(code: -begun, attempt: "open an L2CAP channel") }
            token = try loop.watch(descriptor, for: .writable) { readiness in
                if readiness.contains(.writable) { writable.signal() }
            }
        } catch {
            Glibc.close(descriptor)
            throw .system(error)
        }
        do throws(SocketError) {
            try await waitUntilConnected(descriptor, writable, mark, until: deadline)
        } catch {
            loop.unwatch(token)
            Glibc.close(descriptor)
            throw error
        }
        loop.unwatch(token)
        guard let mtu = L2CAPSocket.sendMTU(of: descriptor) else {
            Glibc.close(descriptor)
            throw .closed
        }
        return (try SeqPacketConnection(owning: descriptor, peer: .remote, on: loop), mtu)
    }

    /// Waits for the connection. Meanwhile the socket is neither writable nor in error.
    private static func waitUntilConnected(
        _ descriptor: Int32, _ writable: WaitPoint, _ first: WaitPoint.Mark, until deadline: Duration
    ) async throws(SocketError) {
        var mark = first
        while true {
            switch await writable.wait(since: mark, until: deadline) {
            case .signalled: break
            case .timedOut: throw .timedOut
            case .cancelled: throw .cancelled
            }
            mark = writable.mark()
            let error = cbluetooth_socket_error(descriptor)
            if error < 0 { throw .system(SystemError(code: -error, attempt: "open an L2CAP channel")) }
            if BluetoothAddress(peerOf: descriptor) != nil { return }
        }
    }
}
