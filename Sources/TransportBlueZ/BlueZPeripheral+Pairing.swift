import DBus

/// The pairing agent of a box that requires encrypted links (doc/agent-api.txt). It has neither display nor keys. It
/// accepts pairing only while an administrator enrols a phone.
extension BlueZPeripheral {
    func exportAgent(on connection: DBusConnection, _ table: GATTTable) async {
        let decide: @Sendable (Invocation) -> MethodReply = { [weak self] _ in
            // SAFETY: the D-Bus connection calls on the loop, which is this actor's executor.
            guard self?.assumeIsolated({ $0.mayPair }) == true else {
                return .error("org.bluez.Error.Rejected", "pairing is accepted only during an enrolment")
            }
            return .done
        }
        let refuse: @Sendable (Invocation) -> MethodReply = { _ in
            .error("org.bluez.Error.Rejected", "a box has no keyboard")
        }
        let ignore: @Sendable (Invocation) -> MethodReply = { _ in .done }
        await connection.export(
            table.agent, to: BlueZ.service,
            [
                ExportedInterface(
                    BlueZ.agent,
                    methods: [
                        "RequestConfirmation": .init("ou", decide), "RequestAuthorization": .init("o", decide),
                        "AuthorizeService": .init("os", refuse), "RequestPinCode": .init("o", refuse),
                        "RequestPasskey": .init("o", refuse), "DisplayPasskey": .init("ouq", ignore),
                        "DisplayPinCode": .init("os", ignore), "Cancel": .init("", ignore),
                        "Release": .init("", ignore),
                    ])
            ])
    }
}
