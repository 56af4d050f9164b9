import Testing

@testable import BoxAgent

@Suite("What the doctor says of disk and clock")
struct MachineCheckTests {
    @Test("A disk without room for the next logins is full, whatever is left on it")
    func disk() {
        #expect(MachineCheck.problem(freeBytes: 0) == "is full: 0 KiB free")
        #expect(MachineCheck.problem(freeBytes: MachineCheck.leastFreeBytes - 1)?.contains("255 KiB") == true)
        #expect(MachineCheck.problem(freeBytes: MachineCheck.leastFreeBytes) == nil)
    }

    @Test("A clock that is older than this program is named with its year")
    func clock() {
        #expect(MachineCheck.problem(unixSeconds: 0)?.contains("1970") == true)
        #expect(MachineCheck.problem(unixSeconds: 1_577_880_000)?.contains("2020") == true)
        #expect(MachineCheck.problem(unixSeconds: MachineCheck.oldestUnixSeconds - 1) != nil)
        #expect(MachineCheck.problem(unixSeconds: MachineCheck.oldestUnixSeconds) == nil)
    }

    @Test("The room of a directory is asked of its file system; what is not there has none to tell")
    func asked() throws {
        #expect(try #require(MachineCheck.freeBytes(in: "/proc/self")) >= 0)
        #expect(MachineCheck.freeBytes(in: "/nowhere/at/all") == nil)
    }
}
