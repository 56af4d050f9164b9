import AgentCore
import Glibc
import Testing

@testable import BoxAgent

@Suite("What the kernel says of processes")
struct KernelFactsTests {
    @Test("Parent and terminal are read behind a command whose name imitates them")
    func stat() {
        let line = "42 (evil) S 1 1 1 1025 (x) R 7 8 9 1026 -1 4194304 0 0".utf8
        let found = KernelFacts.process(stat: Array(line))
        #expect(found?.parent == 7)
        #expect(found?.device == 1026)
        #expect(KernelFacts.process(stat: Array("42 (short) S 1".utf8)) == nil)
        #expect(KernelFacts.process(stat: []) == nil)
    }

    @Test("Device numbers are read as the kernel writes them")
    func devices() {
        let facts = KernelFacts(sys: "/nonexistent")
        #expect(facts.terminal(0) == .none)
        #expect(facts.terminal(0x0401) == .virtual(1))
        #expect(facts.terminal(0x043F) == .virtual(63))
        // Minor number 0 is tty0, the current terminal. Minor number 64 is ttyS0, whose name comes from sysfs.
        #expect(facts.terminal(0x0400) == .other)
        #expect(facts.terminal(0x0440) == .other)
        // pts/0, and pts/300, whose minor number has more than eight bits.
        #expect(facts.terminal(0x8800) == .other)
        #expect(facts.terminal(0x0010_882C) == .other)
        #expect(facts.terminal(0x0010_0401) == .other)
    }

    @Test("A process is seen with its parent, and one that does not exist is not")
    func processes() {
        #expect(KernelFacts().process(getpid())?.parent == getppid())
        #expect(KernelFacts().process(0) == nil)
        #expect(KernelFacts().process(-1) == nil)
        #expect(KernelFacts(proc: "/nonexistent").process(getpid()) == nil)
    }
}
