import AgentCore
import ControlProtocol
import PhoneMessages

/// Events and effects as text for a trace. The text leaves out the system's random numbers, so a seed reads the same in
/// every process.
extension World {
    static func text(_ event: Event) -> String {
        switch event {
        case .phone(let id, .provedCode(_, _, _, let isEnrolled)):
            "phone(\(id), provedCode(isEnrolled: \(isEnrolled)))"
        case .phone(let id, .asked(let message)): "phone(\(id), \(message.id.rawValue): \(text(message.request)))"
        case .control(let id, .asks(.confirmEnrolment(_, let accept), _)):
            "control(\(id), confirmEnrolment(accept: \(accept)))"
        default: "\(event)"
        }
    }

    private static func text(_ request: PhoneRequest) -> String {
        switch request {
        case .enrol: "enrol"
        case .reveal: "reveal"
        case .ping(let bytes): "ping of \(bytes.count) bytes"
        default: "\(request)"
        }
    }

    static func text(_ effect: Effect) -> String {
        switch effect {
        case .tellPhone(let id, .enrolNonce(let request, _)): "tellPhone(\(id), enrolNonce(\(request.rawValue)))"
        case .tellControl(let id, .enrolmentDigits): "tellControl(\(id), enrolmentDigits)"
        default: "\(effect)"
        }
    }
}
