import PhoneCore
import Secrets

// The C functions of docs/reference/phone-core.md. A host has one instance and calls it from one thread.
//
// One buffer of `HostLimits.messageBytes` bytes carries data both ways. The core wipes it after reading the host's
// bytes. The host reads the core's bytes before its next call.

/// The core's state for one host.
private final class Host {
    let errands = ErrandTable()
    // SAFETY: allocated once, never freed, and used only in the calls below, on the host's one thread.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: HostLimits.messageBytes, alignment: 16)

    init() { _ = buffer.initializeMemory(as: UInt8.self, repeating: 0) }

    /// Reads the first `count` bytes of the buffer, and wipes the buffer.
    func take<Value>(
        _ count: UInt32, _ read: (RawSpan) throws(HostError) -> Value
    ) throws(HostError) -> Value {
        // Wipe the whole buffer, because an earlier action may have left bytes after the first `count`.
        defer { wipe(buffer) }
        guard count <= HostLimits.messageBytes else { throw .tooLarge }
        // SAFETY: `count` is at most the buffer's length, and nothing writes there before this returns.
        let input = UnsafeMutableRawBufferPointer(rebasing: buffer[0..<Int(count)])
        // SAFETY: as above; `read` cannot keep a span.
        return try read(UnsafeRawBufferPointer(input).bytes)
    }

    /// Puts the next action of an operation into the buffer.
    func put(_ handle: Int32) throws(HostError) -> Int32 {
        wipe(buffer)
        let count = try errands.nextAction(of: handle)
        errands.withWritten { bytes in
            // SAFETY: the writer has at most `HostLimits.messageBytes` bytes, which is the buffer's size.
            bytes.withUnsafeBytes { bytes in buffer.copyMemory(from: bytes) }
        }
        return Int32(count)
    }
}

// SAFETY: a host calls from one thread (docs/reference/phone-core.md), and C functions need global state to share data.
nonisolated(unsafe) private let host = Host()

/// The version of this interface. A host that expects another version must stop.
@c(boxphone_version) @_expose(wasm, "boxphone_version")
public func boxphoneVersion() -> UInt32 { 1 }

/// Returns the buffer's address.
@c(boxphone_buffer) @_expose(wasm, "boxphone_buffer")
// SAFETY: the host may use it up to `boxphone_capacity`; the core never frees it.
public func boxphoneBuffer() -> UnsafeMutableRawPointer? { host.buffer.baseAddress }

/// Returns the buffer's size in bytes.
@c(boxphone_capacity) @_expose(wasm, "boxphone_capacity")
public func boxphoneCapacity() -> UInt32 { UInt32(HostLimits.messageBytes) }

/// Sets the host's abilities (docs/reference/protocol.md section 8; none by default). Returns 0 or a `HostError`.
@c(boxphone_capabilities) @_expose(wasm, "boxphone_capabilities")
public func boxphoneCapabilities(_ bits: UInt32) -> Int32 {
    do throws(HostError) {
        try host.errands.setCapabilities(bits)
        return 0
    } catch {
        return error.rawValue
    }
}

/// Starts the order in the first `count` bytes of the buffer. Returns a handle above 0, or a `HostError`.
@c(boxphone_start) @_expose(wasm, "boxphone_start")
public func boxphoneStart(_ count: UInt32, _ microseconds: Int64) -> Int32 {
    do throws(HostError) {
        let order = try host.take(count) { input throws(HostError) in try HostOrder.read(input) }
        return try host.errands.start(order, at: microseconds)
    } catch {
        return error.rawValue
    }
}

/// Passes an operation the event in the first `count` bytes of the buffer. Returns 0 or a `HostError`.
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

/// Puts the operation's next action into the buffer. Returns its length in bytes, 0 without one, or a `HostError`.
@c(boxphone_action) @_expose(wasm, "boxphone_action")
public func boxphoneAction(_ handle: Int32) -> Int32 {
    do throws(HostError) { return try host.put(handle) } catch { return error.rawValue }
}

/// Returns when `time` is next due, in microseconds of the host's clock, -1 if never, or a `HostError` less 1.
@c(boxphone_deadline) @_expose(wasm, "boxphone_deadline")
public func boxphoneDeadline(_ handle: Int32) -> Int64 {
    do throws(HostError) { return try host.errands.deadline(of: handle) } catch { return Int64(error.rawValue) - 1 }
}

/// Ends an operation and wipes its data. Returns 0 or a `HostError`.
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
