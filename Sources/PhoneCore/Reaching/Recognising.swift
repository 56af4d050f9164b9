import Links
import SecureChannel
import VaultPort

/// Identifies a box among several known ones: visits it, checks its certificate, and stores a newer serial.
final class Recognising {
    enum End: Sendable {
        case known(KnownBox)
        case other(IdentityProblem)
        case unreachable(LinkError)
    }

    private indirect enum Stage {
        case visiting(Visit)
        case noting(KnownBox)
    }

    private let boxes: [KnownBox]
    private var stage: Stage

    init(_ boxes: [KnownBox], at advertisement: Advertisement, _ context: inout ErrandContext) {
        self.boxes = boxes
        stage = .visiting(Visit(advertisement, &context))
    }

    var deadline: Duration? {
        guard case .visiting(let visit) = stage else { return nil }
        return visit.deadline
    }

    /// Returns the result, after which the caller must end the link.
    func handle(_ input: Input, _ context: inout ErrandContext) -> End? {
        switch stage {
        case .visiting(let visit):
            let result = visit.handle(input, &context)
            switch result {
            case nil: return nil
            case .failure(let error): return .unreachable(error)
            case .success(let identity):
                switch context.recognise(boxes, by: identity, showing: visit.advertisement.boxID?.bytes ?? []) {
                case .failure(let problem): return .other(problem)
                case .success(let recognised):
                    let box = recognised.box
                    guard let certificate = recognised.certificate, certificate.serial > box.highestSerial else {
                        return .known(box)
                    }
                    context.ask(.raiseSerial(box.id, to: certificate.serial, boxID: certificate.boxID))
                    stage = .noting(box)
                    return nil
                }
            }
        case .noting(let box):
            guard case .vault(let answer) = input else { return nil }
            // If the serial cannot be stored, continue with the box as it was.
            if case .box(let written?) = answer { return .known(written) }
            return .known(box)
        }
    }
}
