import AgentConfiguration

/// What the administrator decides, and what does not change while the agent runs.
package struct Policy: Sendable {
    package var configuration: Configuration
    /// Four to six ASCII digits.
    package let boxID: [UInt8]

    package var boxDigits: String { String(decoding: boxID, as: UTF8.self) }

    package init(_ configuration: Configuration, boxID: [UInt8]) {
        self.configuration = configuration
        self.boxID = boxID
    }
}
