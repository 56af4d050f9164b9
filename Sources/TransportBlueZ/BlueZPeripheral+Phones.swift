import DBus
import EventLoop
import GATTProfile
import Links

/// Phones that connect, write, subscribe and disconnect.
extension BlueZPeripheral {
    func handlers() -> GATTTable.Handlers {
        // SAFETY: the D-Bus connection calls each handler on the loop, which is this actor's executor.
        GATTTable.Handlers(
            read: { [weak self] options in self?.assumeIsolated { $0.touched(options) } },
            write: { [weak self] value, options in self?.assumeIsolated { $0.written(value, options) } },
            acquireNotify: { [weak self] options in
                self?.assumeIsolated { $0.acquireNotify(options) }
                    ?? .error("org.bluez.Error.NotSupported", "boxagentd is stopping")
            },
            // SAFETY: as above.
            setNotifying: { [weak self] on in self?.assumeIsolated { $0.isNotifying = on } },
            // SAFETY: as above.
            released: { [weak self] in self?.assumeIsolated { $0.advertisementReleased() } })
    }

    // MARK: - Coming and going

    func deviceChanged(_ path: ObjectPath) {
        guard let adapter = Adapter.chosen(settings.adapter, in: objects) ?? adapter, adapter.path.contains(path),
            adapter.path != path
        else { return }
        let device = objects[path, BlueZ.device]
        let isConnected = device?["Connected"]?.flag ?? false
        phones.update(path, connected: isConnected)
        if !isConnected { left(path) }
    }

    func everybodyLeft() {
        let all = Set(links.keys.map(\.device))
        for device in all { left(device) }
        phones.removeAll()
        isNotifying = false
        let open = takeSockets()
        loop.spawn { await self.closeSockets(open) }
    }

    private func left(_ device: ObjectPath) {
        for (key, link) in links where key.device == device {
            links[key] = nil
            // SAFETY: links are pinned to the loop, like this actor.
            link.assumeIsolated { $0.end() }
        }
        guard let socket = sockets.removeValue(forKey: device) else { return }
        loop.spawn { await socket.close() }
    }

    func takeSockets() -> [SeqPacketConnection] {
        defer { sockets = [:] }
        return Array(sockets.values)
    }

    func closeSockets(_ open: [SeqPacketConnection]) async {
        for socket in open { await socket.close() }
    }

    private func touched(_ options: GATTTable.RequestOptions) {
        guard let device = options.device else { return }
        let isFirst = phones.phones[device]?.hasTouched != true
        phones.touched(device, mtu: options.mtu)
        guard isFirst else { return }
        disconnectIfIdle(device, on: phones.phones[device]?.connection, after: Self.idleLimit)
        if phones.isGhost(device) { forgetGhost(device) }
    }

    /// bluetoothd may read a phone's last request after it has reported the disconnection (5.66, "getpeername:
    /// Transport endpoint is not connected"). No later signal would remove that phone and its socket.
    private func forgetGhost(_ device: ObjectPath) {
        loop.spawn { [weak self, loop] in
            try? await loop.sleep(until: loop.now() + Self.lateSignalLimit)
            await self?.leftIfGhost(device)
        }
    }

    private func leftIfGhost(_ device: ObjectPath) {
        guard phones.isGhost(device) else { return }
        phones.update(device, connected: false)
        left(device)
    }

    /// Disconnects only devices that have used the service and have no link.
    private func disconnectIfIdle(_ device: ObjectPath, on connection: UInt64?, after pause: Duration) {
        loop.spawn { [weak self, loop] in
            try? await loop.sleep(until: loop.now() + pause)
            await self?.disconnect(device, ifIdleOn: connection)
        }
    }

    private func disconnect(_ device: ObjectPath, ifIdleOn connection: UInt64?) async {
        guard phones.isIdle(device, on: connection) else { return }
        await end(device)
    }

    private func end(_ device: ObjectPath) async {
        try? await connection?.send(MethodCall(to: BlueZ.service, device, BlueZ.device, "Disconnect"))
    }

    // MARK: - Phone to box

    private func written(_ value: [UInt8], _ options: GATTTable.RequestOptions) {
        touched(options)
        guard let device = options.device else { return }
        deliver(value, from: device)
    }

    private func deliver(_ value: [UInt8], from device: ObjectPath) {
        guard let (tag, segment) = LinkTag.split(value), !endsChannels(of: device) else { return }
        let key = LinkKey(device: device, tag: tag)
        guard let link = links[key] ?? newLink(key) else { return }
        // SAFETY: links are pinned to the loop, like this actor.
        link.assumeIsolated { $0.take(segment) }
    }

    /// Returns nil if another device uses the tag, because both might get the notifications. Also returns nil if the
    /// device already has many links: more would fill the queue for the links of others.
    private func newLink(_ key: LinkKey) -> BlueZLink? {
        let isTaken = links.keys.contains { $0.tag == key.tag }
        guard !isTaken else { return nil }
        switch phones.mayBegin(key.device) {
        case .welcome: break
        case .tooMany: return nil
        case .flood:
            loop.spawn { await self.end(key.device) }
            return nil
        }
        guard let phone = phones.phones[key.device] else { return nil }
        let connection = phone.connection
        let link = BlueZLink(
            loop: loop, device: key.device, tag: key.tag, attMTU: phone.mtu,
            transmit: { [weak self] value, device throws(LinkError) in
                guard let self else { throw .closed }
                try await self.transmit(value, to: device)
            },
            onClose: { [weak self] link in
                let key = LinkKey(device: link.device, tag: link.tag)
                // SAFETY: a link calls on the loop, which is this actor's executor.
                self?.assumeIsolated { $0.closed(key, link, on: connection) }
            })
        guard offer(link) else { return nil }
        links[key] = link
        _ = phones.linkBegan(key.device)
        return link
    }

    private func closed(_ key: LinkKey, _ link: BlueZLink, on connection: UInt64?) {
        if links[key] === link { links[key] = nil }
        linkEnded(of: key.device, on: connection)
    }

    func linkEnded(of device: ObjectPath, on connection: UInt64?) {
        // A phone learns of the end of its link by the end of the connection.
        guard phones.linkEnded(device, on: connection) else { return }
        disconnectIfIdle(device, on: connection, after: Self.lingerLimit)
    }

    // MARK: - Box to phone

    private func acquireNotify(_ options: GATTTable.RequestOptions) -> MethodReply {
        let refusal = "org.bluez.Error.NotSupported"
        guard let device = options.device else { return .error(refusal, "the request names no device") }
        touched(options)
        do throws(SocketError) {
            let (own, other) = try SeqPacketConnection.withOtherEnd(on: loop)
            sockets[device] = own
            loop.spawn { await self.watchForEnd(of: own, device) }
            let mtu = UInt16(clamping: options.mtu ?? GATTService.attMTUBytes.upperBound)
            return .values([.descriptor(OwnedDescriptor(other)), .uint16(mtu)])
        } catch {
            return .error(refusal, "the socket cannot be created")
        }
    }

    private func watchForEnd(of socket: SeqPacketConnection, _ device: ObjectPath) async {
        while (try? await socket.receive(limit: GATTService.valueBytes)) != nil {}
        await socket.close()
        if sockets[device] === socket { sockets[device] = nil }
    }

    /// Sends a notification. Without a socket for each phone, every subscribed phone receives it. The tag names the
    /// link.
    private func transmit(_ value: [UInt8], to device: ObjectPath) async throws(LinkError) {
        if let socket = sockets[device] ?? sockets.first?.value {
            do {
                return try await socket.send(value)
            } catch .cancelled {
                throw .cancelled
            } catch {
                throw .closed
            }
        }
        guard isNotifying, let connection, let table else { throw .closed }
        do throws(DBusError) {
            try await connection.emitChange(table.transfer, BlueZ.characteristic, [("Value", .bytes(value))])
        } catch {
            throw error == .cancelled ? .cancelled : .closed
        }
    }
}
