import Names
import PhoneMessages
import VaultPort

/// The tap that postpones a logout. The extension is stored before it counts, and before the phone is told.
extension Logouts {
    /// Postpones the ends of the device's warned sessions. The caller has checked that the device has a session.
    ///
    /// Answers `correct`, `notDue` without a warning, `notAllowed` if no tap helps, and `busy` while an earlier
    /// extension is being stored. Answers `boxFault` if a write fails, and `noSession` if the sessions end meanwhile.
    package mutating func extend(_ request: DeviceRequest, _ out: inout Output) {
        let device = request.device.id
        guard extensions[device] == nil else { return out.answer(request.tap, .busy) }
        let putOffs = schedule.putOffs(of: device)
        guard !putOffs.isEmpty else { return out.answer(request.tap, .notDue) }
        guard putOffs.contains(where: { $0.putOff != .refused }) else { return out.answer(request.tap, .notAllowed) }
        var wanted = PendingExtension(request: request, until: out.time + Self.answerLimit)
        for (key, putOff) in putOffs where putOff != .refused {
            if case .end(let times) = putOff, case .logind(let id) = key {
                wanted.outstanding += 1
                out.emit(.vault(pending.open(.extending(device, key, times: times)), .setExtensions(id, times)))
            } else {
                // Nothing is stored: idleness may be postponed repeatedly, and a session without logind ends with the
                // agent.
                wanted.isPutOff = true
                handle(.putOff(key, putOff), &out)
            }
        }
        extensions[device] = wanted
        conclude(device, &out)
    }

    mutating func extensionAnswered(
        _ device: DeviceID, _ key: SessionKey, _ times: Int64, _ answer: Answer, _ out: inout Output
    ) {
        guard var wanted = extensions[device] else { return }
        wanted.outstanding -= 1
        if let failure = answer.writeFailure {
            wanted.hasFailed = true
            out.log(.error, "a session's extension could not be stored: \(failure)")
        } else if schedule.openSessions.contains(key) {
            wanted.isPutOff = true
            handle(.putOff(key, .end(times: times)), &out)
        }
        extensions[device] = wanted
        conclude(device, &out)
    }

    mutating func giveUpExtensions(_ out: inout Output) {
        for device in extensions.keys.inOrder {
            guard let wanted = extensions[device], wanted.until <= out.time else { continue }
            dropExtension(of: device)
            out.log(.error, "a session's extension could not be stored: the vault does not answer")
            out.answer(wanted.request.tap, .boxFault)
        }
    }

    mutating func dropExtension(of device: DeviceID) {
        extensions[device] = nil
        pending.drop { if case .extending(device, _, _) = $0 { true } else { false } }
    }

    private mutating func conclude(_ device: DeviceID, _ out: inout Output) {
        guard let wanted = extensions[device], wanted.outstanding == 0 else { return }
        extensions[device] = nil
        guard !wanted.hasFailed else { return out.answer(wanted.request.tap, .boxFault) }
        guard wanted.isPutOff else { return out.answer(wanted.request.tap, .noSession) }
        let user = wanted.request.device.user
        out.logCounted(
            .notice, "\(LogText.text(user)) postpones the automatic logout from the phone", user: user,
            paidBy: .device(device))
        out.recordCounted(.sessionOperation, user: user, device: device, by: .phone(device), detail: "extend")
        out.answer(wanted.request.tap, .correct)
    }
}
