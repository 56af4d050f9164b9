import Wire

@testable import ControlProtocol

/// Returns the encoded message as an array.
func encoded(
    limit: Int = ControlLimits.messageBytes, _ body: (inout MutableRawSpan) throws(ControlMessageError) -> Int
) throws(ControlMessageError) -> [UInt8] {
    try .encoding(limit: limit, body)
}

func decoded<Message>(_ bytes: [UInt8], _ body: (RawSpan) throws(ControlMessageError) -> Message)
    throws(ControlMessageError) -> Message
{
    try bytes.withRawSpan(body)
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
