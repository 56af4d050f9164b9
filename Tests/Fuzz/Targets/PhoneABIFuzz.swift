import PhoneABI

/// A host that calls the phone core's functions in any order, with any bytes and numbers. No call may trap, and no
/// action may be longer than the buffer.
///
/// The input is a list of calls: the function, a number of 16 bits, the count of bytes for the buffer, and the bytes.
enum PhoneABIFuzz {
    static let entry: FuzzEntry = { data, count in
        var rest = input(data, count)[...]
        func byte() -> UInt8 { rest.popFirst() ?? 0 }
        var handle: Int32 = 0
        var now: Int64 = 1_000_000
        while !rest.isEmpty {
            let (call, high, low) = (byte() % 8, byte(), byte())
            let number = Int64(high) << 8 | Int64(low)
            let bytes = rest.prefix(Int(byte()) * (call == 0 ? 3 : 1))
            rest = rest.dropFirst(bytes.count)
            guard let buffer = boxphoneBuffer() else { return 0 }
            // SAFETY: the buffer has `boxphoneCapacity` bytes, more than 765.
            for (index, byte) in bytes.enumerated() { buffer.storeBytes(of: byte, toByteOffset: index, as: UInt8.self) }
            switch call {
            case 0: handle = max(handle, boxphoneStart(UInt32(bytes.count), now))
            case 1, 2, 3: _ = boxphoneEvent(handle, UInt32(bytes.count), now)
            case 4, 5:
                let length = boxphoneAction(handle)
                promise(length <= Int32(boxphoneCapacity()), "an action is longer than the buffer")
            case 6:
                now += number * 100_000
                promise(boxphoneDeadline(handle) >= -8, "a deadline is no time and no error")
            default: _ = high == 7 ? boxphoneEnd(Int32(low)) : boxphoneEvent(Int32(low), UInt32(number) &* 65_536, now)
            }
        }
        _ = boxphoneEnd(handle)
        return 0
    }
}
