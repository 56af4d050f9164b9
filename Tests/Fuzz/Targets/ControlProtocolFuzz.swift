import ControlProtocol
import Wire

/// A request that any local user may send to the control socket.
enum ControlRequestFuzz {
    static let entry: FuzzEntry = { data, count in
        let bytes = input(data, count)
        guard let request = try? ControlRequest.decode(bytes.span.bytes) else { return 0 }
        let again = encoded { output throws(ControlMessageError) in
            if case .joinSite(let code) = request {
                return try ControlRequest.encodeJoin(code: bytes.span.bytes.extracting(code), into: &output)
            }
            return try request.encode(into: &output)
        }
        promise(again == bytes, "an accepted request is not the only encoding of what it says")
        return 0
    }
}

/// A reply of the agent to `boxagent`.
enum ControlReplyFuzz {
    static let entry: FuzzEntry = { data, count in
        let bytes = input(data, count)
        guard let reply = try? ControlReply.decode(bytes.span.bytes) else { return 0 }
        let again = encoded { output throws(ControlMessageError) in
            if case .enrolmentCode(let uri, let validSeconds) = reply {
                return try ControlReply.encodeEnrolmentCode(
                    uri: bytes.span.bytes.extracting(uri), validSeconds: validSeconds, into: &output)
            }
            return try reply.encode(into: &output)
        }
        promise(again == bytes, "an accepted reply is not the only encoding of what it says")
        return 0
    }
}

private func encoded(_ body: (inout MutableRawSpan) throws(ControlMessageError) -> Int) -> [UInt8]? {
    try? [UInt8].encoding(limit: ControlLimits.messageBytes, body)
}
