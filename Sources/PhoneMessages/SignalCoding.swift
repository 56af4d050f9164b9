import Wire

/// Encodes signal strengths as unsigned numbers, in dBm below zero.
extension CBORReader {
    mutating func readOptionalDBm(in input: RawSpan) throws(WireError) -> Int? {
        if try readNull(in: input) { return nil }
        return -Int(try readUInt8(in: input, limit: UInt8(-SignalRules.dBm.lowerBound)))
    }

    /// Reads both thresholds. Returns nil if both are null, and throws if only one is.
    mutating func readThresholds(in input: RawSpan) throws(WireError) -> SignalThresholds? {
        let near = try readOptionalDBm(in: input)
        let far = try readOptionalDBm(in: input)
        guard let near, let far else {
            guard near == nil, far == nil else { throw .outOfRange }
            return nil
        }
        let thresholds = SignalThresholds(nearDBm: near, farDBm: far)
        guard thresholds.isAllowed else { throw .outOfRange }
        return thresholds
    }
}

extension CBORWriter {
    mutating func writeOptionalDBm(_ dBm: Int?, to output: inout MutableRawSpan) throws(WireError) {
        guard dBm.map(SignalRules.dBm.contains) ?? true else { throw .outOfRange }
        try writeOptional(dBm.map { UInt8(-$0) }, to: &output)
    }
}
