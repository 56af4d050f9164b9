import PAMProtocolEmbedded
import CSessionHook
import WireEmbedded

/// The order as it came through the pipe, with the credential of a hook: locked memory, wiped at the end.
struct OrderMessage: ~Copyable {
    enum Order {
        /// Where the credential is.
        case hook(HookOrder, authtok: Range<Int>)
        case console(ConsoleOrder)
    }

    // SAFETY: our own pages, from init to deinit. Nobody keeps the pointer.
    private let buffer: UnsafeMutableRawBufferPointer
    let order: Order

    /// Nil when there is no memory, or no message of ours on standard input. The module has written all of it, in one
    /// piece, before this program began.
    // SAFETY: at most the buffer's size is read into it; the order's range was checked against the bytes read.
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

    /// Writes what the program reads: the user and the password, a line each. False when either has a line feed in it,
    /// or the pipe does not take it.
    // SAFETY: the range is inside the buffer; one byte behind the longest message is ours for the line feed.
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
            // The other kind, or nothing.
        }
        do throws(WireError) {
            return .console(try ConsoleOrder.decode(bytes.bytes))
        } catch {
            return nil
        }
    }

    private static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        // SAFETY: the pages of init, which nobody uses any more.
        if let start = memory.baseAddress {
            explicit_bzero(start, memory.count)
            _ = munmap(start, memory.count)
        }
    }
}
