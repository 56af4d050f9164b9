/// A method call that we send.
public struct MethodCall: Sendable {
    public let destination: String
    public let path: ObjectPath
    public let interface: String
    public let member: String
    public let arguments: [DBusValue]

    public init(
        to destination: String, _ path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: [DBusValue] = []
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }
}

/// A received call to one of our exported objects.
public struct Invocation: Sendable {
    /// The caller's unique name.
    public let sender: String
    public let path: ObjectPath
    public let arguments: [DBusValue]
    let serial: UInt32
}

/// The answer to a received call.
public enum MethodReply: Sendable {
    case values([DBusValue])
    /// The name of a D-Bus error, such as "org.bluez.Error.Rejected", and a message.
    case error(String, String)
    /// The answer follows by `DBusConnection.reply`, exactly once.
    case later

    public static let done = MethodReply.values([])
    static let unknownMethod = MethodReply.error("org.freedesktop.DBus.Error.UnknownMethod", "no such method")
    static let invalidArguments = MethodReply.error(
        "org.freedesktop.DBus.Error.InvalidArgs", "arguments of the wrong type")
}

/// A signal from the bus.
public struct BusSignal: Sendable {
    /// The unique name of the sender.
    public let sender: String
    public let path: ObjectPath
    public let interface: String
    public let member: String
    public let arguments: [DBusValue]
}
