extension [UInt8] {
    /// Appends the 8 bytes of `number`, big-endian.
    mutating func append(bigEndian number: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
        }
    }
}
