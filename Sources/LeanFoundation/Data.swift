/// Encoded bytes.
public struct Data: Equatable, Sendable {
    let bytes: [UInt8]
}

extension String {
    public enum Encoding: Sendable {
        case utf8
    }

    /// Returns nil if the bytes are not valid in this encoding.
    public init?(data: Data, encoding: Encoding) {
        switch encoding {
        case .utf8: self.init(validating: data.bytes, as: UTF8.self)
        }
    }
}
