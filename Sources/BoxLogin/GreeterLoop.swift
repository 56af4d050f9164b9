import AgentClient
import CBoxLogin

/// Shows the screen until a login starts. Waits for keys, the agent and a switch of virtual terminals at once.
struct GreeterLoop: ~Copyable {
    enum End: Equatable {
        /// The user who tapped, or nil if a user wants to type.
        case logIn(LoginUser?)
        case terminalGone
    }

    private var follower: AgentFollower
    private let foreground: ForegroundTerminal
    private var machine: GreeterMachine
    private var shown: GreeterScreen?
    /// The bytes of the screen that the terminal has not accepted yet.
    private var unsent: ArraySlice<UInt8> = []
    private let hasReverseVideo: Bool

    init(socket: String, terminal: borrowing ConsoleTerminal, notice: String? = nil) {
        follower = AgentFollower(path: socket, terminal: terminal.name)
        foreground = ForegroundTerminal(own: terminal.name)
        machine = GreeterMachine(now: MonotonicClock.now(), notice: notice)
        hasReverseVideo = Self.knowsReverseVideo
    }

    mutating func run(_ terminal: borrowing ConsoleTerminal) -> End {
        WindowSizeSignal.watch()
        var events: [GreeterMachine.Event] = [.foreground(foreground.isOurs()), .timer]
        while true {
            for event in events {
                if let end = perform(machine.handle(event, now: MonotonicClock.now()), terminal) { return end }
            }
            guard let next = wait(terminal) else { return .terminalGone }
            events = next
        }
    }

    private mutating func perform(
        _ actions: [GreeterMachine.Action], _ terminal: borrowing ConsoleTerminal
    ) -> End? {
        for action in actions {
            var answer: GreeterMachine.Event?
            switch action {
            case .logIn(let user): return .logIn(user)
            case .draw: draw(terminal)
            case .connect: answer = follower.connect()
            case .disconnect: follower.disconnect()
            case .claim(let user): answer = follower.claim(user)
            }
            // The recursion is one level deep: `lost` causes no action that has an answer.
            if let answer, let end = perform(machine.handle(answer, now: MonotonicClock.now()), terminal) { return end }
        }
        return nil
    }

    private mutating func draw(_ terminal: borrowing ConsoleTerminal) {
        let screen = Self.screen(terminal, hasReverseVideo)
        shown = screen
        terminal.resume()
        unsent = screen.bytes(machine.view)[...]
        send(terminal)
    }

    private mutating func send(_ terminal: borrowing ConsoleTerminal) {
        unsent = unsent.dropFirst(terminal.write(unsent))
    }

    /// Waits, and returns the events that happened. Returns nil if the terminal is gone.
    private mutating func wait(_ terminal: borrowing ConsoleTerminal) -> [GreeterMachine.Event]? {
        var entries = [
            pollfd(fd: 0, events: Int16(POLLIN), revents: 0),
            pollfd(fd: follower.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: foreground.descriptor, events: Int16(POLLPRI), revents: 0),
            pollfd(fd: unsent.isEmpty ? -1 : 1, events: Int16(POLLOUT), revents: 0),
        ]
        let ready = poll(&entries, nfds_t(entries.count), MonotonicClock.milliseconds(until: machine.deadline))
        if ready < 0 && cboxlogin_errno() != EINTR { return nil }
        if shown != Self.screen(terminal, hasReverseVideo) { draw(terminal) }
        guard ready > 0 else { return [.timer] }
        // Keys come before everything else.
        if entries[0].revents != 0 {
            guard let key = terminal.readKey() else { return nil }
            if !key.isEmpty { return [.key] }
        }
        if entries[3].revents != 0 {
            let before = unsent.count
            send(terminal)
            // The terminal is ready but accepts nothing. The next screen is a new attempt.
            if unsent.count == before { unsent = [] }
        }
        var events: [GreeterMachine.Event] = []
        if entries[2].revents != 0 { events.append(.foreground(foreground.isOurs())) }
        if entries[1].revents != 0, let event = follower.receive() { events.append(event) }
        return events + [.timer]
    }

    private static func screen(_ terminal: borrowing ConsoleTerminal, _ hasReverseVideo: Bool) -> GreeterScreen {
        let (columns, rows) = terminal.size()
        return GreeterScreen(columns: columns, rows: rows, hasReverseVideo: hasReverseVideo)
    }

    private static var knowsReverseVideo: Bool {
        guard let type = getenv("TERM") else { return false }
        return !["", "dumb", "unknown"].contains(String(cString: type))
    }
}

/// CLOCK_MONOTONIC, and timeouts for poll(2).
enum MonotonicClock {
    static func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Returns a timeout rounded up, never negative, so that no wait ends just before its deadline.
    static func milliseconds(until deadline: Duration) -> Int32 {
        let (seconds, attoseconds) = (deadline - now()).components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return Int32(clamping: min(seconds, 86_400) * 1_000 + attoseconds / 1_000_000_000_000_000 + 1)
    }
}

/// Makes SIGWINCH interrupt poll(2). The loop reads the size after each poll.
enum WindowSizeSignal {
    static func watch() {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        _ = sigaction(SIGWINCH, &action, nil)
    }
}
