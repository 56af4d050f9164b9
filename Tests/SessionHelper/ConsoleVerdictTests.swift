import Testing

@testable import SessionHelper

/// A login shell (100) that leads its group on the terminal, as login(1) leaves it. Tests add further processes.
private let shell = process(100, group: 100)

private func process(
    _ number: Int32, parent: Int32 = 100, group: Int32, isOwn: Bool = true, isAtTerminal: Bool = true,
    isStopped: Bool = false, isEnded: Bool = false, reads: Bool? = true, name: UInt64 = 1
) -> ConsoleFacts.Process {
    ConsoleFacts.Process(
        number: number, parent: number == 100 ? 1 : parent, group: group, isEnded: isEnded, isStopped: isStopped,
        isOwn: isOwn, isAtTerminal: isAtTerminal, reads: reads, name: name)
}

private func judge(
    _ processes: [ConsoleFacts.Process], front: [Int32: ConsoleFacts.Members] = [100: .some],
    display: ConsoleFacts.Display = .text, hides: Bool = false, exempt: Set<Int32> = [], settled: Set<Int32> = [],
    leader: Int32 = 99
) -> ConsoleVerdict {
    ConsoleVerdict.judge(
        ConsoleFacts(display: display, hidesProcesses: hides, front: front, processes: processes), exempt: exempt,
        settled: settled, leader: leader)
}

@Suite("Who can go on reading a console")
struct ConsoleVerdictTests {
    @Test("What is the user's at the terminal is stopped, in front or not, a shell before its jobs; then it is ready")
    func own() {
        let job = process(101, group: 101)
        #expect(judge([shell, job], front: [101: .some]) == .stop([100]))
        #expect(judge([shell, job], front: [101: .some], settled: [100]) == .stop([101]))
        #expect(judge([shell, job], front: [101: .some], settled: [100, 101]) == .ready)
    }

    @Test("A program of another user in front refuses, alone or in a pipe with the user's own")
    func foreignInFront() {
        let foreign = process(101, group: 101, isOwn: false)
        #expect(judge([shell, foreign], front: [101: .some]) == .refused(.foreign))
        let own = process(102, group: 101)
        #expect(judge([shell, own, foreign], front: [101: .some]) == .refused(.foreign))
    }

    @Test("A program of another user that rests in the background cannot read, and keeps nobody from locking")
    func foreignBehind() {
        #expect(judge([shell, process(101, group: 101, isOwn: false)], settled: [100]) == .ready)
    }

    @Test("A program of another user that waits for one of the user's would notice the stop and come to the front")
    func foreignBetween() {
        let root = process(101, group: 101, isOwn: false)
        let inner = process(102, parent: 101, group: 102)
        #expect(judge([shell, root, inner], front: [102: .some]) == .refused(.foreign))
        let deeper = process(103, parent: 102, group: 103)
        #expect(judge([shell, root, inner, deeper], front: [103: .some]) == .refused(.foreign))
        // As after "exec sudo -i", where no process above belongs to the user.
        let top = process(90, parent: 1, group: 90, isOwn: false)
        let below = process(91, parent: 90, group: 91)
        #expect(judge([top, below], front: [91: .some]) == .refused(.foreign))
    }

    @Test("login(1), which opened the session, is root's, at the terminal, and waits for the shell's end only")
    func login() {
        let login = process(99, parent: 1, group: 99, isOwn: false)
        let shell = process(101, parent: 99, group: 101)
        #expect(judge([login, shell], front: [101: .some]) == .stop([101]))
        // A shell without job control stays in login's group.
        let plain = process(101, parent: 99, group: 99)
        #expect(judge([login, plain], front: [99: .some], settled: [101]) == .ready)
        #expect(judge([login, shell], front: [101: .some], leader: 1) == .refused(.foreign))
    }

    @Test("Parents that make a ring, as a list that was read while it changed may have, end the search")
    func ring() {
        let first = process(101, parent: 102, group: 101)
        let second = process(102, parent: 101, group: 101)
        #expect(judge([shell, first, second], settled: [100]) == .stop([101, 102]))
    }

    @Test("Whoever is in front and was not seen counts as somebody else's")
    func unseen() {
        #expect(judge([shell], front: [500: .othersOnly]) == .refused(.unseen))
        #expect(judge([shell], front: [500: .some]) == .refused(.unseen))
        // kill(2) reports only members of other users in the shell's group, for example from another PID namespace.
        #expect(judge([shell], front: [100: .othersOnly]) == .refused(.unseen))
        #expect(judge([shell], front: [:]) == .refused(.unseen))
        #expect(judge([], front: [:]) == .refused(.unseen))
    }

    @Test("What came to the front while the list was read counts as well as what was there before")
    func changed() {
        #expect(judge([shell], front: [100: .some, 500: .othersOnly]) == .refused(.unseen))
    }

    @Test("A group in front whose last member has ended is nobody's")
    func emptyGroup() {
        #expect(judge([shell], front: [101: .none], settled: [100]) == .ready)
    }

    @Test("A zombie reads nothing, whosever it was")
    func zombie() {
        let ended = process(101, group: 101, isOwn: false, isEnded: true)
        #expect(judge([shell, ended], front: [101: .othersOnly], settled: [100]) == .refused(.unseen))
        #expect(judge([shell, ended], front: [101: .some], settled: [100]) == .ready)
        #expect(judge([shell, process(101, group: 101, isEnded: true)], front: [101: .some], settled: [100]) == .ready)
    }

    @Test("Where /proc hides processes nothing is known of who reads")
    func hidden() {
        #expect(judge([shell], hides: true) == .refused(.hidden))
    }

    @Test("A screen that shows a picture, or that nobody knows, is not locked by taking its terminal")
    func display() {
        #expect(judge([shell], display: .others) == .refused(.picture))
        #expect(judge([shell], display: .unknown) == .refused(.picture))
    }

    @Test("A server that was handed the terminal reads it without being at it, and is stopped")
    func server() {
        let server = process(200, group: 200, isAtTerminal: false)
        let other = process(201, group: 201, isAtTerminal: false, reads: false)
        #expect(judge([shell, server, other], settled: [100]) == .stop([200]))
    }

    @Test("Of programs that hide what they read only those are stopped whose other half is at the terminal")
    func halves() {
        let agent = process(200, group: 200, isAtTerminal: false, reads: nil, name: 7)
        #expect(judge([shell, agent], settled: [100]) == .ready)
        let server = process(201, group: 201, isAtTerminal: false, reads: nil, name: 9)
        let client = process(101, group: 101, reads: nil, name: 9)
        #expect(judge([shell, client, agent, server], front: [101: .some], settled: [100]) == .stop([101, 201]))
    }

    @Test("The helper does not stop itself, nor who starts it again")
    func exempt() {
        let helper = process(300, group: 300)
        #expect(judge([shell, helper], exempt: [300], settled: [100]) == .ready)
    }
}

@Suite("What /proc hides")
struct ProcessTableTests {
    private func line(_ options: String) -> String { "24 29 0:22 / /proc rw,nosuid shared:12 - proc proc \(options)\n" }

    @Test("Process 1 is always there: who does not see it does not see others'")
    func first() {
        #expect(ProcessTable.hidesOthers(mount: line("rw"), seesFirst: false, ownsFirst: false))
        #expect(!ProcessTable.hidesOthers(mount: line("rw"), seesFirst: true, ownsFirst: false))
        // The user sees process 1 because the mount's gid= names one of the user's groups.
        #expect(!ProcessTable.hidesOthers(mount: line("rw,gid=4,hidepid=invisible"), seesFirst: true, ownsFirst: false))
    }

    @Test(
        "Where process 1 is the user's own the options of the mount say it",
        arguments: [
            ("rw", false), ("rw,hidepid=off", false), ("rw,hidepid=0", false), ("rw,hidepid=1", true),
            ("rw,hidepid=2", true), ("rw,hidepid=invisible,gid=4", true), ("rw,hidepid=ptraceable", true),
            ("rw,gid=4,hidepid=noaccess", true), ("rw,subset=pid", false),
        ])
    func options(_ options: String, _ hides: Bool) {
        #expect(ProcessTable.hidesOthers(mount: line(options), seesFirst: true, ownsFirst: true) == hides)
    }

    @Test("Without procfs at /proc nothing is seen")
    func noProc() {
        #expect(ProcessTable.hidesOthers(mount: nil, seesFirst: true, ownsFirst: false))
    }
}
