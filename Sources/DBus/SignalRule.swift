/// Selects signals (D-Bus Specification, "Match Rules").
public struct SignalRule: Sendable, Hashable {
    /// A well-known or unique name.
    public let sender: String
    public let interface: String
    public let member: String
    /// Selects signals of this object and of the objects below it.
    public var pathNamespace: ObjectPath?
    /// The first argument, which must be a text.
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

    /// The rule as AddMatch takes it. No part may contain an apostrophe.
    var text: String {
        var text = "type='signal',sender='\(sender)',interface='\(interface)',member='\(member)'"
        if let pathNamespace { text += ",path_namespace='\(pathNamespace)'" }
        if let firstArgument { text += ",arg0='\(firstArgument)'" }
        return text
    }

    /// Returns whether the rule selects the signal. Does not check the sender: only the connection knows who owns a
    /// well-known name, and checks that.
    func matches(_ signal: BusSignal) -> Bool {
        guard signal.interface == interface, signal.member == member else { return false }
        if let pathNamespace, !pathNamespace.contains(signal.path) { return false }
        if let firstArgument { return signal.arguments.first?.text == firstArgument }
        return true
    }
}
