import PAMProtocolEmbedded
import CSessionHook
import WireEmbedded

/// The order from the pipe, with the credential for a hook, in locked memory that is wiped at the end.
struct OrderMessage: ~Copyable {
    enum Order {
        /// An order for a hook, with the range of the credential.
        case hook(HookOrder, authtok: Range<Int>)
        case console(ConsoleOrder)
    }

    // SAFETY: these pages are ours from init to deinit, and the pointer is not kept.
    private let buffer: UnsafeMutableRawBufferPointer
    let order: Order

    /// Reads the order from standard input. The module wrote all of it, in one piece, before this program started.
    /// Returns nil if there is no memory or no valid order.
    // SAFETY: at most the buffer's size is read into it. The order's range was checked against the bytes read.
    init?() {
        let count = HookOrder.messageBytes
        guard let start = chook_secret_memory(count + 1) else { return nil }
        let memory = UnsafeMutableRawBufferPointer(start: start, count: count + 1)
        let got = read(0, start, count + 1)
        guard got > 0, got <= count,
            let order = Self.decode(UnsafeRawBufferPointer(rebasing: memory.prefix(got)))
        else {
            Self.wipe(memory)
            return nil
        }
        buffer = memory
        self.order = order
    }

    deinit {
        Self.wipe(buffer)
    }

    /// Writes the program's input: one line for the user and one for the password. Returns false if either contains a
    /// line feed, or if the pipe does not accept them.
    // SAFETY: the range is inside the buffer, which has one byte after the longest message for the line feed.
    borrowing func write(_ order: HookOrder, _ authtok: Range<Int>, to descriptor: Int32) -> Bool {
        let lineFeed: Int32 = 0x0A
        guard let start = buffer.baseAddress, authtok.upperBound < buffer.count, !order.user.contains(0x0A),
            memchr(start + authtok.lowerBound, lineFeed, authtok.count) == nil
        else { return false }
        var user = order.user
        user.append(0x0A)
        let isUserWritten = user.withUnsafeBytes {
            CSessionHook.write(descriptor, $0.baseAddress, $0.count) == $0.count
        }
        (start + authtok.upperBound).storeBytes(of: 0x0A, as: UInt8.self)
        let count = authtok.count + 1
        return isUserWritten && CSessionHook.write(descriptor, start + authtok.lowerBound, count) == count
    }

    // SAFETY: the bytes outlive the call.
    private static func decode(_ bytes: UnsafeRawBufferPointer) -> Order? {
        do throws(WireError) {
            let (order, authtok) = try HookOrder.decode(bytes.bytes)
            return .hook(order, authtok: authtok)
        } catch {
            // The message may be an order for a console.
        }
        do throws(WireError) {
            return .console(try ConsoleOrder.decode(bytes.bytes))
        } catch {
            return nil
        }
    }

    private static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        // SAFETY: these are the pages of init, which are not used any more.
        if let start = memory.baseAddress {
            explicit_bzero(start, memory.count)
            _ = munmap(start, memory.count)
        }
    }
}
