import PAMProtocol
import Wire

/// A request from the PAM module, or from any other program on its socket.
enum PAMRequestFuzz {
    static let entry: FuzzEntry = { data, count in
        let bytes = input(data, count)
        guard let request = try? PAMRequest.decode(bytes.span.bytes) else { return 0 }
        let again = encoded { output throws(WireError) in try request.encode(into: &output) }
        promise(again == bytes, "an accepted request is not the only encoding of what it says")
        return 0
    }
}

/// A reply of the agent to the module, which must not trap inside other programs.
enum PAMReplyFuzz {
    static let entry: FuzzEntry = { data, count in
        let bytes = input(data, count)
        guard let reply = try? PAMReply.decode(bytes.span.bytes) else { return 0 }
        let again = encoded { output throws(WireError) in
            if case .credential(let user, let authtok) = reply {
                return try PAMReply.encodeCredential(
                    user: user, authtok: bytes.span.bytes.extracting(authtok), into: &output)
            }
            return try reply.encode(into: &output)
        }
        promise(again == bytes, "an accepted reply is not the only encoding of what it says")
        return 0
    }
}

private func encoded(_ body: (inout MutableRawSpan) throws(WireError) -> Int) -> [UInt8]? {
    try? [UInt8].encoding(limit: PAMLimits.messageBytes, body)
}
