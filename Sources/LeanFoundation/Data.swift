/// Bytes that were encoded.
public struct Data: Equatable, Sendable {
    let bytes: [UInt8]
}

extension String {
    public enum Encoding: Sendable {
        case utf8
    }

    /// Nil where the bytes are no such text.
    public init?(data: Data, encoding: Encoding) {
        switch encoding {
        case .utf8: self.init(validating: data.bytes, as: UTF8.self)
        }
    }
}
