import DBus
import EventLoop
import GATTProfile
import Links

/// The frozen GATT table and the advertisement as objects for bluetoothd (doc/gatt-api.txt, doc/advertising-api.txt).
struct GATTTable: Sendable {
    /// The handlers of bluetoothd's requests. All run on the loop.
    struct Handlers: Sendable {
        let read: @Sendable (RequestOptions) -> Void
        let write: @Sendable ([UInt8], RequestOptions) -> Void
        let acquireNotify: @Sendable (RequestOptions) -> MethodReply
        let setNotifying: @Sendable (Bool) -> Void
        let released: @Sendable () -> Void
    }

    /// The origin of a request.
    struct RequestOptions: Sendable {
        let device: ObjectPath?
        let mtu: Int?
        let offset: Int

        init(_ value: DBusValue?) {
            let options = value?.dictionary ?? [:]
            device = options["device"]?.path
            mtu = options["mtu"]?.integer.flatMap { GATTService.attMTUBytes.contains($0) ? $0 : nil }
            offset = max(0, options["offset"]?.integer ?? 0)
        }
    }

    // The paths are part of the table, because bluetoothd assigns handles in their order.
    let application: ObjectPath
    let service: ObjectPath
    let identity: ObjectPath
    let transfer: ObjectPath
    let psm: ObjectPath
    let advertisement: ObjectPath
    let agent: ObjectPath

    init?() {
        guard let application = ObjectPath("/io/boxagent"), let service = application.appending("service"),
            let identity = service.appending("identity"), let transfer = service.appending("transfer"),
            let psm = service.appending("zpsm"), let advertisement = ObjectPath("/io/boxagent_advertisement"),
            let agent = ObjectPath("/io/boxagent_agent")
        else { return nil }
        self.application = application
        self.service = service
        self.identity = identity
        self.transfer = transfer
        self.psm = psm
        self.advertisement = advertisement
        self.agent = agent
    }

    func export(
        on connection: DBusConnection, identity value: ShownValue, psm number: UInt16, encrypted: Bool,
        _ handlers: Handlers
    ) async {
        let psmValue = [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
        let readFlags = encrypted ? ["encrypt-read"] : ["read"]
        await connection.export(
            service, to: BlueZ.service,
            [
                ExportedInterface(
                    BlueZ.gattService,
                    properties: { [("UUID", .string(GATTService.uuid)), ("Primary", .boolean(true))] })
            ])
        await connection.export(
            identity, to: BlueZ.service,
            [readable(GATTService.identityCharacteristic, { value.now }, readFlags, handlers.read)])
        await connection.export(
            psm, to: BlueZ.service, [readable(GATTService.psmCharacteristic, { psmValue }, readFlags, handlers.read)])
        await connection.export(transfer, to: BlueZ.service, [transferring(encrypted: encrypted, handlers)])
    }

    private func readable(
        _ uuid: String, _ current: @escaping @Sendable () -> [UInt8], _ flags: [String],
        _ read: @escaping @Sendable (RequestOptions) -> Void
    ) -> ExportedInterface {
        ExportedInterface(
            BlueZ.characteristic,
            methods: [
                "ReadValue": .init("a{sv}") { call in
                    let options = RequestOptions(call.arguments.first)
                    read(options)
                    let value = current()
                    guard options.offset <= value.count else {
                        return .error("org.bluez.Error.InvalidOffset", "the offset is past the end of the value")
                    }
                    return .values([.bytes(Array(value.dropFirst(options.offset)))])
                }
            ],
            properties: { [service] in
                [("UUID", .string(uuid)), ("Service", .objectPath(service)), ("Flags", .strings(flags))]
            })
    }

    private func transferring(encrypted: Bool, _ handlers: Handlers) -> ExportedInterface {
        let flags = ["write-without-response"] + (encrypted ? ["encrypt-write", "encrypt-notify"] : ["notify"])
        return ExportedInterface(
            BlueZ.characteristic,
            methods: [
                "WriteValue": .init("aya{sv}") { call in
                    handlers.write(call.arguments[0].byteArray ?? [], RequestOptions(call.arguments[1]))
                    return .done
                },
                "AcquireNotify": .init("a{sv}") { handlers.acquireNotify(RequestOptions($0.arguments.first)) },
                "StartNotify": .init("") { _ in
                    handlers.setNotifying(true)
                    return .done
                },
                "StopNotify": .init("") { _ in
                    handlers.setNotifying(false)
                    return .done
                },
            ],
            properties: { [service] in
                // The property NotifyAcquired tells bluetoothd that it may request a socket. WriteAcquired must be
                // missing: a phone that leaves before bluetoothd has its write socket would silence all others. In 5.66
                // to at least 5.87, src/gatt-database.c, acquire_write_reply leaves its write in pending_writes, and
                // acquire_write requests no socket until that write is gone.
                [
                    ("UUID", .string(GATTService.transferCharacteristic)), ("Service", .objectPath(service)),
                    ("Flags", .strings(flags)), ("NotifyAcquired", .boolean(false)),
                ]
            })
    }

    /// Exports the advertisement. bluetoothd puts the UUID into the advertisement and, for lack of room, the name into
    /// the scan response.
    func exportAdvertisement(
        on connection: DBusConnection, name: String, mode: AdvertisingMode, _ handlers: Handlers
    ) async {
        let milliseconds = UInt32(mode.intervalMilliseconds)
        await connection.export(
            advertisement, to: BlueZ.service,
            [
                ExportedInterface(
                    BlueZ.advertisement,
                    methods: [
                        "Release": .init("") { _ in
                            handlers.released()
                            return .done
                        }
                    ],
                    properties: {
                        [
                            ("Type", .string("peripheral")), ("ServiceUUIDs", .strings([GATTService.uuid])),
                            ("LocalName", .string(name)),
                            // The general discoverable flag. A phone's bluetoothd ignores advertisements without it.
                            ("Discoverable", .boolean(true)), ("MinInterval", .uint32(milliseconds)),
                            ("MaxInterval", .uint32(milliseconds)),
                        ]
                    })
            ])
    }
}

extension AdvertisingMode {
    /// BlueZ takes whole milliseconds and divides them into units of 0.625 ms: 152 ms become 243 units, or 151.9 ms.
    var intervalMilliseconds: Int {
        switch self {
        case .off, .fast: 20
        case .medium: 152
        case .slow: 1_022
        }
    }
}
