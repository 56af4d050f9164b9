import PhoneCore
import Secrets

// The C functions of docs/reference/phone-core.md. A host has one instance and calls it from one thread.
//
// Bytes go both ways through one buffer of `HostLimits.messageBytes` bytes. The core wipes it once it has read what the host put
// there, and the host reads what the core put there before it calls again.

/// Everything that one host has of the core.
private final class Host {
    let errands = ErrandTable()
    // SAFETY: allocated once, never freed, and touched by the one thread of the host only, inside the calls below.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: HostLimits.messageBytes, alignment: 16)

    init() { _ = buffer.initializeMemory(as: UInt8.self, repeating: 0) }

    /// Reads the first `count` bytes of the buffer, and wipes them.
    func take<Value>(
        _ count: UInt32, _ read: (RawSpan) throws(HostError) -> Value
    ) throws(HostError) -> Value {
        // All of it: what an action left there is nobody's any more.
        defer { wipe(buffer) }
        guard count <= HostLimits.messageBytes else { throw .tooLarge }
        // SAFETY: `count` is at most what the buffer has, and nobody writes there before this returns.
        let input = UnsafeMutableRawBufferPointer(rebasing: buffer[0..<Int(count)])
        // SAFETY: as above; `read` cannot keep a span.
        return try read(UnsafeRawBufferPointer(input).bytes)
    }

    /// Puts the next action of an errand into the buffer.
    func put(_ handle: Int32) throws(HostError) -> Int32 {
        wipe(buffer)
        let count = try errands.nextAction(of: handle)
        errands.withWritten { bytes in
            // SAFETY: the writer's bytes are at most `HostLimits.messageBytes`, as the buffer's are.
            bytes.withUnsafeBytes { bytes in buffer.copyMemory(from: bytes) }
        }
        return Int32(count)
    }
}

// SAFETY: a host calls from one thread (docs/reference/phone-core.md); C functions have no other place for what they share.
nonisolated(unsafe) private let host = Host()

/// The number of this interface: a host that knows another one must not go on.
@c(boxphone_version) @_expose(wasm, "boxphone_version")
public func boxphoneVersion() -> UInt32 { 1 }

/// Where the buffer is.
@c(boxphone_buffer) @_expose(wasm, "boxphone_buffer")
// SAFETY: the host's to use within `boxphone_capacity`; the core never frees it.
public func boxphoneBuffer() -> UnsafeMutableRawPointer? { host.buffer.baseAddress }

/// Bytes of the buffer.
@c(boxphone_capacity) @_expose(wasm, "boxphone_capacity")
public func boxphoneCapacity() -> UInt32 { UInt32(HostLimits.messageBytes) }

/// Says what the host can do, in the bits of docs/reference/protocol.md section 8: 0, or a `HostError`. Nothing without it.
@c(boxphone_capabilities) @_expose(wasm, "boxphone_capabilities")
public func boxphoneCapabilities(_ bits: UInt32) -> Int32 {
    do throws(HostError) {
        try host.errands.setCapabilities(bits)
        return 0
    } catch {
        return error.rawValue
    }
}

/// Starts the order in the first `count` bytes of the buffer: a handle above 0, or a `HostError`.
@c(boxphone_start) @_expose(wasm, "boxphone_start")
public func boxphoneStart(_ count: UInt32, _ microseconds: Int64) -> Int32 {
    do throws(HostError) {
        let order = try host.take(count) { input throws(HostError) in try HostOrder.read(input) }
        return try host.errands.start(order, at: microseconds)
    } catch {
        return error.rawValue
    }
}

/// Tells an errand the event in the first `count` bytes of the buffer: 0, or a `HostError`.
@c(boxphone_event) @_expose(wasm, "boxphone_event")
public func boxphoneEvent(_ handle: Int32, _ count: UInt32, _ microseconds: Int64) -> Int32 {
    do throws(HostError) {
        let event = try host.take(count) { input throws(HostError) in try PhoneEvent.read(input) }
        try host.errands.handle(event, for: handle, at: microseconds)
        return 0
    } catch {
        return error.rawValue
    }
}

/// Puts the errand's next action into the buffer: its bytes, 0 where there is none, or a `HostError`.
@c(boxphone_action) @_expose(wasm, "boxphone_action")
public func boxphoneAction(_ handle: Int32) -> Int32 {
    do throws(HostError) { return try host.put(handle) } catch { return error.rawValue }
}

/// When `time` is next due, in microseconds of the host's clock; -1: nothing is; below that a `HostError`, less 1.
@c(boxphone_deadline) @_expose(wasm, "boxphone_deadline")
public func boxphoneDeadline(_ handle: Int32) -> Int64 {
    do throws(HostError) { return try host.errands.deadline(of: handle) } catch { return Int64(error.rawValue) - 1 }
}

/// Ends an errand and wipes what it holds: 0, or a `HostError`.
@c(boxphone_end) @_expose(wasm, "boxphone_end")
public func boxphoneEnd(_ handle: Int32) -> Int32 {
    do throws(HostError) {
        wipe(host.buffer)
        try host.errands.end(handle)
        return 0
    } catch {
        return error.rawValue
    }
}
