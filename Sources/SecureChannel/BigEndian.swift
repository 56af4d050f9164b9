extension [UInt8] {
    /// Appends the 8 bytes of `number`, highest first.
    mutating func append(bigEndian number: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
        }
    }
}
