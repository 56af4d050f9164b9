import ControlProtocol

/// A session command of `boxagent`, while its caller is looked up.
package struct SessionCommand: Sendable {
    package enum Wish: Sendable {
        case list
        case act(SessionOperation, SessionSelection)
    }

    package let control: ControlID
    package let caller: Caller
    package let wish: Wish
}
