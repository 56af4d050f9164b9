import BoxLogin
import TextOutput

/// A reply to the greeter from greetd, or from a program in its place.
enum GreetdReplyFuzz {
    static let entry: FuzzEntry = { data, count in
        let bytes = input(data, count)
        let reply = try? GreetdReply(bytes)
        guard let texts = try? FlatJSON.texts(in: bytes) else {
            promise(reply == nil, "a reply was made of what is no object")
            return 0
        }
        promise(texts.count <= FlatJSON.limitMembers, "more members than the bound")
        switch reply {
        case .success: promise(texts["type"] == "success", "a success that nobody has said")
        case .error(let isRefusal, let words):
            promise(texts["type"] == "error" && words == texts["description"] ?? "", "an error that nobody has said")
            promise(
                isRefusal == (texts["error_type"] == "auth_error"), "a refusal that is none, or the other way round")
        case .message(_, let words):
            promise(
                texts["type"] == "auth_message" && words == texts["auth_message"] ?? "", "words that nobody has said")
        case nil: break
        }
        let written = JSONValue.record(texts.map { ($0.key, .text($0.value)) }).line
        promise((try? FlatJSON.texts(in: Array(written.utf8))) == texts, "texts do not come out as they went in")
        return 0
    }
}
