import CPostgreSQL

/// The values of one statement, in libpq's layout.
struct StatementValues {
    /// The most bytes that all values together may have.
    static let limitBytes = 16 * 1_024 * 1_024

    let types: [Oid]
    private let bytes: [UInt8]
    /// The offset of each value, or nil for null.
    private let offsets: [Int?]
    private let lengths: [Int32]

    init(_ values: [DatabaseValue]) throws(DatabaseError) {
        var bytes: [UInt8] = []
        var offsets: [Int?] = []
        var lengths: [Int32] = []
        for value in values {
            guard let encoded = value.encoded else {
                offsets.append(nil)
                lengths.append(0)
                continue
            }
            offsets.append(bytes.count)
            lengths.append(Int32(clamping: encoded.count))
            guard bytes.count + encoded.count <= Self.limitBytes else { throw .tooLarge }
            bytes += encoded
        }
        // An empty last value needs an address, too.
        bytes.append(0)
        types = values.map(\.type)
        self.bytes = bytes
        self.offsets = offsets
        self.lengths = lengths
    }

    /// Sends the prepared statement with these values, in binary both ways. Returns false if libpq refuses.
    func send(_ name: String, to connection: OpaquePointer) -> Bool {
        // SAFETY: libpq copies all of it before it returns, and the pointers live through the call.
        bytes.withUnsafeBytes { buffer in
            let pointers = offsets.map { offset in
                offset.flatMap { buffer.baseAddress?.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
            }
            let formats = [Int32](repeating: 1, count: pointers.count)
            return PQsendQueryPrepared(connection, name, Int32(pointers.count), pointers, lengths, formats, 1) == 1
        }
    }
}
