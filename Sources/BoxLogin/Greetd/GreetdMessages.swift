import TextOutput
import Wire

/// A request of a greeter to greetd (greetd-ipc(7)).
enum GreetdRequest: Equatable, Sendable {
    case createSession(user: String)
    /// The answer to a message that is not a question.
    case acknowledge
    case startSession(command: [String])
    case cancelSession

    var json: [UInt8] {
        let value: JSONValue
        switch self {
        case .createSession(let user):
            value = .record([("type", .text("create_session")), ("username", .text(user))])
        case .acknowledge:
            value = .record([("type", .text("post_auth_message_response")), ("response", .null)])
        case .startSession(let command):
            value = .record([
                ("type", .text("start_session")), ("cmd", .list(command.map { .text($0) })), ("env", .list([])),
            ])
        case .cancelSession: value = .record([("type", .text("cancel_session"))])
        }
        return Array(value.line.utf8)
    }
}

/// A reply of greetd.
package enum GreetdReply: Equatable, Sendable {
    package enum Prompt: Equatable, Sendable {
        case visible
        case secret
        case info
        case error
    }

    case success
    /// An error with greetd's description. `isRefusal` is true if PAM refused the user, and false if greetd itself
    /// failed.
    case error(isRefusal: Bool, String)
    case message(Prompt, String)

    package init(_ bytes: [UInt8]) throws(FlatJSON.Malformed) {
        let texts = try FlatJSON.texts(in: bytes)
        switch texts["type"] {
        case "success": self = .success
        case "error":
            self = .error(isRefusal: texts["error_type"] == "auth_error", texts["description"] ?? "")
        case "auth_message":
            let text = texts["auth_message"] ?? ""
            switch texts["auth_message_type"] {
            case "visible": self = .message(.visible, text)
            case "secret": self = .message(.secret, text)
            case "info": self = .message(.info, text)
            case "error": self = .message(.error, text)
            default: throw FlatJSON.Malformed()
            }
        default: throw FlatJSON.Malformed()
        }
    }
}

/// Encodes a typed answer as a message to greetd. Both buffers are wiped after use.
enum GreetdResponse {
    /// The size of a line of `LineEntry.limitBytes` with every byte escaped, plus the JSON around it.
    static let limitBytes = LineEntry.limitBytes * 6 + 64

    /// Returns the number of bytes written, or nil if the answer is not UTF-8, as JSON requires.
    static func encode(_ answer: RawSpan, into output: inout MutableRawSpan) -> Int? {
        guard UTF8Validation.isValid(answer, in: 0..<answer.byteCount) else { return nil }
        var count = 0
        func put(_ byte: UInt8) {
            guard count < output.byteCount else { return }
            output.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
            count += 1
        }
        for byte in "{\"type\":\"post_auth_message_response\",\"response\":\"".utf8 { put(byte) }
        let digits = Array("0123456789abcdef".utf8)
        for index in 0..<answer.byteCount {
            let byte = answer.byte(at: index)
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                put(UInt8(ascii: "\\"))
                put(byte)
            case 0..<0x20:
                for escape in "\\u00".utf8 { put(escape) }
                put(digits[Int(byte >> 4)])
                put(digits[Int(byte & 15)])
            default: put(byte)
            }
        }
        for byte in "\"}".utf8 { put(byte) }
        return count
    }
}
