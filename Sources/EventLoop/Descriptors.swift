import CLinux
import Glibc

/// A descriptor that is closed when its owner lets go.
final class Descriptor: Sendable {
    let value: Int32

    init(_ value: Int32) { self.value = value }

    deinit { close(value) }
}

/// A descriptor of ours whose readiness signals a point of the loop.
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

/// Both ends of a pipe, closed in other programs.
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

/// Strings for execve(2): pointers that end with nil, freed with the owner.
final class CStrings {
    // SAFETY: each is strdup's and ours until deinit; callers lend them to calls during which they hold this object.
    private(set) var pointers: [UnsafeMutablePointer<CChar>?]

    init(_ strings: [String]) {
        // SAFETY: strdup's memory is freed in deinit, and nowhere else.
        pointers = strings.map { strdup($0) } + [nil]
    }

    deinit {
        for pointer in pointers { free(pointer) }
    }
}
