import ControlProtocol

/// What somebody at `boxagent` wants of sessions, while it is looked up who that is.
package struct SessionCommand: Sendable {
    package enum Wish: Sendable {
        case list
        case act(SessionOperation, SessionSelection)
    }

    package let control: ControlID
    package let caller: Caller
    package let wish: Wish
}
