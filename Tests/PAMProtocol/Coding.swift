import Wire

@testable import PAMProtocol

/// Returns the encoded message as an array.
func encoded(
    limit: Int = PAMLimits.messageBytes, _ body: (inout MutableRawSpan) throws(WireError) -> Int
) throws(WireError) -> [UInt8] {
    try .encoding(limit: limit, body)
}

func decoded<Message>(_ bytes: [UInt8], _ body: (RawSpan) throws(WireError) -> Message) throws(WireError) -> Message {
    try bytes.withRawSpan(body)
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
