import Links

/// Where the box's state lies: on which machine, and on what storage. It holds as long as the agent runs.
package final class BoxPlace: Sendable {
    /// The state is another machine's: only commands are answered, and this is why. Nil: it is this one's.
    package let foreign: RadioFault?
    /// That a restart of the machine loses the state; nil: it does not, as far as can be told.
    package let loss: String?

    package init(foreign: RadioFault? = nil, loss: String? = nil) {
        self.foreign = foreign
        self.loss = loss
    }

    // MARK: - Words

    package static func foreign(_ directory: String) -> RadioFault {
        RadioFault("the keys in \(directory) belong to another machine, as in a cloned image", cure: cure)
    }

    /// Nobody can say whose the keys are.
    package static func unreadable(_ problem: String) -> RadioFault {
        RadioFault("\(problem), so the keys beside it count as another machine's", cure: cure)
    }

    package static func lossText(_ directory: String, _ system: String) -> String {
        "a restart of this machine loses \(directory), and all phones with it: it is on \(system)"
    }

    /// For `lossText`.
    package static let lossCure =
        "keep the directory on a disk (docs/how-to/run-boxes.md, \"Set up from a script or an image\")"
    private static let cure =
        "run 'boxagent setup', which makes a new box of this machine, or lets it take the old one's place"
}
