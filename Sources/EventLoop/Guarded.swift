import Glibc

/// A value behind a pthread mutex.
///
/// `Synchronization.Mutex` would do, but the thread sanitizer does not see its ordering and reports false races. While
/// holding the lock, never call out and never resume a continuation.
///
/// SAFETY: the value is only accessed under the mutex, so the class may be shared.
package final class Guarded<Value>: @unchecked Sendable {
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init(_ value: Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        // SAFETY: a mutex must not move; this one lives on the heap until deinit.
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Waits on `condition` until `body` returns a value. The mutex is released while waiting.
    package func wait<Result>(
        on condition: UnsafeMutablePointer<pthread_cond_t>, until body: (inout Value) -> Result?
    ) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            // SAFETY: both live as long as their owner, which the waiting thread holds.
            pthread_cond_wait(condition, mutex)
        }
    }
}
