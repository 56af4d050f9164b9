/// An interface of an exported object. Handlers run on the connection's executor, and answer at once or `later`.
public struct ExportedInterface: Sendable {
    public struct Method: Sendable {
        /// The signature of the arguments. A call with another signature gets an error and never reaches the handler.
        let signature: String
        let handler: @Sendable (Invocation) -> MethodReply

        public init(_ signature: String, _ handler: @escaping @Sendable (Invocation) -> MethodReply) {
            self.signature = signature
            self.handler = handler
        }
    }

    public let name: String
    let methods: [String: Method]
    let properties: @Sendable () -> [(String, DBusValue)]

    public init(
        _ name: String, methods: [String: Method] = [:],
        properties: @escaping @Sendable () -> [(String, DBusValue)] = { [] }
    ) {
        self.name = name
        self.methods = methods
        self.properties = properties
    }
}

/// The objects for one program, with the standard interfaces (D-Bus Specification, "Standard Interfaces").
struct ExportedObjects {
    private var objects: [ObjectPath: [ExportedInterface]] = [:]
    /// The well-known name of the only program that may call these objects.
    let caller: String

    init(caller: String) {
        self.caller = caller
    }

    mutating func add(_ path: ObjectPath, _ interfaces: [ExportedInterface]) { objects[path] = interfaces }
    mutating func remove(_ path: ObjectPath) { objects[path] = nil }
    func has(_ path: ObjectPath) -> Bool { objects[path] != nil }
    func interfaces(of path: ObjectPath) -> [ExportedInterface] { objects[path] ?? [] }

    func answer(_ call: IncomingMessage) -> MethodReply {
        guard let path = call.path, case .success(let arguments) = call.arguments else {
            return MethodReply.invalidArguments
        }
        switch (call.interface, call.member) {
        case ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects"):
            return .values([managed(below: path)])
        case ("org.freedesktop.DBus.Properties", let member):
            return properties(member, path, arguments)
        default: break
        }
        guard let method = interfaces(of: path).first(where: { $0.name == call.interface })?.methods[call.member] else {
            return MethodReply.unknownMethod
        }
        guard arguments.map(\.signature).joined() == method.signature else { return MethodReply.invalidArguments }
        return method.handler(Invocation(sender: call.sender, path: path, arguments: arguments, serial: call.serial))
    }

    private func managed(below root: ObjectPath) -> DBusValue {
        let found = objects.filter { $0.key != root && root.contains($0.key) }.sorted { $0.key.text < $1.key.text }
        return .array(
            of: "{oa{sa{sv}}}",
            found.map { path, interfaces in
                let entries: [DBusValue] = interfaces.map {
                    .dictionaryEntry(key: .string($0.name), value: .properties($0.properties()))
                }
                return .dictionaryEntry(key: .objectPath(path), value: .array(of: "{sa{sv}}", entries))
            })
    }

    private func properties(_ member: String, _ path: ObjectPath, _ arguments: [DBusValue]) -> MethodReply {
        guard let name = arguments.first?.text, let interface = interfaces(of: path).first(where: { $0.name == name })
        else { return MethodReply.invalidArguments }
        switch member {
        case "GetAll": return .values([.properties(interface.properties())])
        case "Get":
            guard arguments.count == 2, let value = interface.properties().first(where: { $0.0 == arguments[1].text })
            else { return MethodReply.invalidArguments }
            return .values([.variant(value.1)])
        case "Set": return .error("org.freedesktop.DBus.Error.PropertyReadOnly", "these properties are read-only")
        default: return MethodReply.unknownMethod
        }
    }
}
