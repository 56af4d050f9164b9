import CLinux
import Glibc

/// Watches a process that is not a child.
public enum ProcessWatch {
    /// Returns whether a process with this number exists, of any user.
    public static func isRunning(_ process: Int32) -> Bool {
        kill(process, 0) == 0 || errno == EPERM
    }

    /// Returns when the process has ended or does not exist, or the task is cancelled (pidfd_open(2)).
    public static func waitUntilEnded(_ process: Int32, on loop: EpollLoop) async {
        let descriptor = clinux_pidfd_open(process)
        guard descriptor >= 0 else { return }
        let ended = WaitPoint(on: loop)
        let mark = ended.mark()
        if let watch = try? loop.watch(descriptor, for: .readable, handler: { _ in ended.signal() }) {
            _ = await ended.wait(since: mark)
            loop.unwatch(watch)
        }
        close(descriptor)
    }
}
