import Glibc
import Synchronization

/// A descriptor that is handed on, such as with a D-Bus message; closed with its last owner unless it was taken.
public final class OwnedDescriptor: Sendable, Equatable {
    private let descriptor: Atomic<Int32>

    /// Takes the descriptor over.
    public init(_ descriptor: Int32) {
        self.descriptor = Atomic(descriptor)
    }

    deinit {
        if let taken = take() { close(taken) }
    }

    /// The descriptor, which is then the caller's to close; nil when it was taken before.
    public func take() -> Int32? {
        let taken = descriptor.exchange(-1, ordering: .sequentiallyConsistent)
        return taken < 0 ? nil : taken
    }

    /// For use while this object is held; -1 when it was taken.
    public var number: Int32 { descriptor.load(ordering: .sequentiallyConsistent) }

    public static func == (left: OwnedDescriptor, right: OwnedDescriptor) -> Bool { left === right }
}
