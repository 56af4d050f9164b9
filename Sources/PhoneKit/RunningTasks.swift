/// The tasks of one operation, by number.
struct RunningTasks {
    private var tasks: [UInt64: Task<Void, Never>] = [:]
    /// The numbers of tasks that are cancelled when the user gives up. All other tasks must finish.
    private var prompts: Set<UInt64> = []
    private var last: UInt64 = 0

    /// Any running task.
    var first: Task<Void, Never>? { tasks.values.first }

    mutating func nextNumber() -> UInt64 {
        last += 1
        return last
    }

    mutating func add(_ task: Task<Void, Never>, _ number: UInt64, isPrompt: Bool) {
        tasks[number] = task
        if isPrompt { prompts.insert(number) }
    }

    mutating func remove(_ number: UInt64) {
        tasks[number] = nil
        prompts.remove(number)
    }

    func endPrompts() {
        for number in prompts { tasks[number]?.cancel() }
    }
}
