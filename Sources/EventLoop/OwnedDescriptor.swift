import Glibc
import Synchronization

/// A descriptor that is passed on, as with a D-Bus message. Its last owner closes it unless it was taken.
public final class OwnedDescriptor: Sendable, Equatable {
    private let descriptor: Atomic<Int32>

    /// Takes over the descriptor.
    public init(_ descriptor: Int32) {
        self.descriptor = Atomic(descriptor)
    }

    deinit {
        if let taken = take() { close(taken) }
    }

    /// Returns the descriptor, which the caller must then close; nil if it was already taken.
    public func take() -> Int32? {
        let taken = descriptor.exchange(-1, ordering: .sequentiallyConsistent)
        return taken < 0 ? nil : taken
    }

    /// The descriptor's number, for use while this object is held; -1 if it was taken.
    public var number: Int32 { descriptor.load(ordering: .sequentiallyConsistent) }

    public static func == (left: OwnedDescriptor, right: OwnedDescriptor) -> Bool { left === right }
}
