import CLinux
import Glibc

/// A descriptor that is closed when its owner releases it.
final class Descriptor: Sendable {
    let value: Int32

    init(_ value: Int32) { self.value = value }

    deinit { close(value) }
}

/// A descriptor whose readiness signals a wait point of the loop.
final class WatchedDescriptor: Sendable {
    let descriptor: Descriptor
    private let loop: EpollLoop
    private let token: WatchToken

    init(
        _ descriptor: Descriptor, for interest: Readiness, on loop: EpollLoop, signalling point: WaitPoint
    ) throws(SystemError) {
        _ = try checked(clinux_set_nonblocking_cloexec(descriptor.value), "prepare a descriptor")
        token = try loop.watch(descriptor.value, for: interest) { _ in point.signal() }
        self.descriptor = descriptor
        self.loop = loop
    }

    deinit { loop.unwatch(token) }
}

/// Both ends of a pipe, closed on exec.
struct Pipe {
    let reader: Descriptor
    let writer: Descriptor

    init() throws(SystemError) {
        var descriptors: [Int32] = [-1, -1]
        _ = try checked(clinux_pipe(&descriptors), "make a pipe")
        reader = Descriptor(descriptors[0])
        writer = Descriptor(descriptors[1])
    }
}

/// Strings for execve(2): an array of pointers that ends with nil and is freed with its owner.
final class CStrings {
    // SAFETY: each pointer comes from strdup and is owned until deinit. Callers that use a pointer keep this object
    // alive.
    private(set) var pointers: [UnsafeMutablePointer<CChar>?]

    init(_ strings: [String]) {
        // SAFETY: the memory from strdup is freed in deinit, and nowhere else.
        pointers = strings.map { strdup($0) } + [nil]
    }

    deinit {
        for pointer in pointers { free(pointer) }
    }
}
