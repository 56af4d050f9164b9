import PhoneMessages
import Wire

/// A message of a phone. Decoding and encoding must return the same bytes.
enum PhoneRequestFuzz {
    static let entry: FuzzEntry = { data, count in
        let bytes = input(data, count)
        guard let message = try? PhoneRequestMessage.decode(bytes.span.bytes) else { return 0 }
        let again = try? [UInt8].encoding(limit: bytes.count) { output throws(WireError) in
            try message.encode(into: &output)
        }
        promise(again == bytes, "an accepted request is not the only encoding of what it says")
        return 0
    }
}

/// A message of a box.
enum BoxMessageFuzz {
    static let entry: FuzzEntry = { data, count in
        let bytes = input(data, count)
        guard let message = try? BoxMessage.decode(bytes.span.bytes) else { return 0 }
        promise((try? message.encoded()) == bytes, "an accepted message is not the only encoding of what it says")
        return 0
    }
}
