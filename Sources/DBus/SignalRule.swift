/// Which signals are wanted (D-Bus Specification, "Match Rules").
public struct SignalRule: Sendable, Hashable {
    /// A well-known or unique name.
    public let sender: String
    public let interface: String
    public let member: String
    /// Signals of this object and those below it.
    public var pathNamespace: ObjectPath?
    /// The first argument, a text.
    public var firstArgument: String?

    public init(
        sender: String, interface: String, member: String, pathNamespace: ObjectPath? = nil,
        firstArgument: String? = nil
    ) {
        self.sender = sender
        self.interface = interface
        self.member = member
        self.pathNamespace = pathNamespace
        self.firstArgument = firstArgument
    }

    /// As AddMatch takes it. No part may hold an apostrophe.
    var text: String {
        var text = "type='signal',sender='\(sender)',interface='\(interface)',member='\(member)'"
        if let pathNamespace { text += ",path_namespace='\(pathNamespace)'" }
        if let firstArgument { text += ",arg0='\(firstArgument)'" }
        return text
    }

    /// Whether the signal is one of these. The sender is not looked at: the bus has done that by the match, and who owns
    /// a well-known name only the bus knows.
    func matches(_ signal: BusSignal) -> Bool {
        guard signal.interface == interface, signal.member == member else { return false }
        if let pathNamespace, !pathNamespace.contains(signal.path) { return false }
        if let firstArgument { return signal.arguments.first?.text == firstArgument }
        return true
    }
}
