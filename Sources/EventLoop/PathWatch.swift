import CLinux
import Glibc

/// Waits until something may have appeared at a path: inotify(7) on the nearest existing directory above, no polling.
///
/// Each watch serves one wait. Make it, check the path, then wait: changes after its creation are not missed.
public final class PathWatch: Sendable {
    private let descriptor: Int32
    private let loop: EpollLoop
    private let changed: WaitPoint
    private let mark: WaitPoint.Mark
    private let token: WatchToken

    /// Returns nil if the system grants no watch (`fs.inotify` has limits) or the path is not absolute.
    public init?(above path: String, on loop: EpollLoop) {
        let descriptor = clinux_watch_above(path)
        guard descriptor >= 0 else { return nil }
        let changed = WaitPoint(on: loop)
        mark = changed.mark()
        guard let token = try? loop.watch(descriptor, for: .readable, handler: { _ in changed.signal() }) else {
            close(descriptor)
            return nil
        }
        (self.descriptor, self.loop, self.changed, self.token) = (descriptor, loop, changed, token)
    }

    /// Returns whether anything exists at the path now.
    public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    deinit {
        loop.unwatch(token)
        close(descriptor)
    }

    /// Returns at the first change, or when the task is cancelled. Uses no processor time meanwhile.
    public func wait(isolation: isolated (any Actor)? = #isolation) async {
        _ = await changed.wait(since: mark)
    }
}
