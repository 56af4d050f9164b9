import AgentCore
import EventLoop
import Links
import Vault

/// Checks whether the stored state belongs to this machine, and stores this machine's identity. Runs while the vault is
/// open.
struct PlaceKeeper: Sendable {
    /// Time to wait for adapters that the kernel finds late in a boot. Login prompts wait for the agent meanwhile.
    private static let patience: Duration = .seconds(1)
    private static let interval: Duration = .milliseconds(250)
    /// The time between two checks of an agent that serves no phones.
    private static let pause: Duration = .seconds(2)

    let log: AgentLog
    let directory: String

    /// - Parameter isTrial: The directories are temporary on purpose.
    func look(isTrial: Bool, on loop: EpollLoop) async -> BoxPlace {
        let storage = isTrial ? nil : PlaceSurvey.loss(of: directory)
        let loss = storage.map { BoxPlace.lossText(directory, $0) }
        if let loss { log.warning(loss) }
        let end = loop.now() + Self.patience
        while true {
            let reason = check()
            guard let reason else { return BoxPlace(loss: loss) }
            guard loop.now() < end, (try? await loop.sleep(until: loop.now() + Self.interval)) != nil else {
                log.error("\(reason)")
                return BoxPlace(foreign: reason, loss: loss)
            }
        }
    }

    /// Repeats the check until the state belongs to this machine, then calls `found` and returns true. Returns false if
    /// the task is cancelled first.
    func waitUntilOurs(on loop: EpollLoop, _ found: () -> Void) async -> Bool {
        while (try? await loop.sleep(until: loop.now() + Self.pause)) != nil {
            guard check() == nil else { continue }
            log.notice("the box's keys belong to this machine: an adapter was found late, or the file was fixed")
            found()
            return true
        }
        return false
    }

    /// Returns why the state is not this machine's or cannot be checked. Returns nil if it is this machine's, and then
    /// stores new hardware. State without a mark is new or from an earlier version, and becomes this machine's.
    @discardableResult
    func check() -> RadioFault? {
        let here = PlaceSurvey().mark()
        let stored: String?
        do {
            stored = try MachineFile.read(in: directory, limit: MachineMark.fileBytes)
        } catch {
            if case .wrongPermissions = error { return BoxPlace.unreadable("\(error)", hasCure: true) }
            return BoxPlace.unreadable("\(error)")
        }
        var new = here
        if let stored {
            guard let known = MachineMark(text: stored) else {
                return BoxPlace.unreadable("\(directory)/machine is damaged")
            }
            guard known.isSame(as: here) else { return BoxPlace.foreign(directory) }
            new = known.learning(here)
            if new.text == stored { return nil }
        }
        do {
            try MachineFile.write(new.text, in: directory)
        } catch {
            log.warning("which machine the box's keys belong to could not be written: \(error)")
        }
        return nil
    }
}
