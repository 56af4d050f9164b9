import Links

/// The machine and the storage of the box's state. This value is fixed while the agent runs.
package final class BoxPlace: Sendable {
    /// The reason why only commands are answered: the state belongs to another machine. Nil if it does not.
    package let foreign: RadioFault?
    /// The warning that a restart of the machine loses the state. Nil if no loss is known.
    package let loss: String?

    package init(foreign: RadioFault? = nil, loss: String? = nil) {
        self.foreign = foreign
        self.loss = loss
    }

    // MARK: - Texts

    package static func foreign(_ directory: String) -> RadioFault {
        RadioFault("the keys in \(directory) belong to another machine, as in a cloned image", cure: cure)
    }

    /// Returns the fault for keys whose machine is unknown. With `hasCure`, the problem itself names what to do first.
    package static func unreadable(_ problem: String, hasCure: Bool = false) -> RadioFault {
        RadioFault(
            "\(problem), so the keys beside it count as another machine's",
            cure: hasCure ? "then restart boxagentd" : cure)
    }

    package static func lossText(_ directory: String, _ system: String) -> String {
        "a restart of this machine loses \(directory), and all phones with it: it is on \(system)"
    }

    /// The cure that belongs to `lossText`.
    package static let lossCure =
        "keep the directory on a disk (/usr/share/doc/boxagent/how-to/run-boxes.md, \"Set up from a script or an image\")"
    private static let cure =
        "run 'boxagent setup', which makes a new box of this machine, or lets it take the old one's place"
}
