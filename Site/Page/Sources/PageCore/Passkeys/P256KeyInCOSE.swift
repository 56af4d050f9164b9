import Wire

/// A public key for ES256 in COSE: {1: 2, 3: -7, -1: 1, -2: x, -3: y} (RFC 9053 sections 2.1 and 7.1.1).
enum P256KeyInCOSE {
    private static let coordinateBytes = 32

    /// Returns the key at `offset` as 65 bytes, and where its CBOR ends. The caller checks that it is on the curve.
    static func read(_ bytes: [UInt8], at offset: Int) throws(PasskeyError) -> ([UInt8], Int) {
        do throws(WireError) {
            return try bytes.withRawSpan { input throws(WireError) in
                var reader = CBORReader(offset: offset)
                guard try reader.readMapHeader(in: input, limit: 5) == 5 else { throw .unknown }
                for (label, value) in [(1, 2), (3, -7), (-1, 1)] as [(Int64, Int64)] {
                    guard try reader.readInteger(in: input) == label, try reader.readInteger(in: input) == value else {
                        throw .unknown
                    }
                }
                var key: [UInt8] = [4]
                for label in [-2, -3] as [Int64] {
                    guard try reader.readInteger(in: input) == label else { throw .unknown }
                    let coordinate = try reader.readBytes(in: input, limit: coordinateBytes)
                    guard coordinate.count == coordinateBytes else { throw .outOfRange }
                    key += input.copy(coordinate)
                }
                return (key, reader.offset)
            }
        } catch {
            throw error == .unknown ? .otherAlgorithm : .malformed
        }
    }
}
