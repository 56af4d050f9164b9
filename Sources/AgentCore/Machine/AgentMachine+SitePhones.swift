import ControlProtocol
import Names
import PhoneMessages
import VaultPort

/// Routes facts about phones that the site's grants admit.
extension AgentMachine {
    mutating func hear(_ fact: SiteFact, _ out: inout Output) {
        switch fact {
        case .visitorGreets(let hello): judge(hello, &out)
        case .visitorIsIn(let hello, let sheet, let grant):
            guard phones.letIn(hello, sheet, &out) else { return }
            if hello.capabilities.contains(.siteGrants) { site.renew(grant, &out) }
        case .visitorIsOut(let hello, let code, let entry): phones.turnAway(hello, code, entry: entry, &out)
        case .siteTookBack:
            guard let judge = site.judge(now: out.time) else { return }
            takeBack(sitePhones.revoked(by: judge), &out)
        case .sitePhonesGone(let devices):
            for device in devices { phones.forgetSheet(of: device) }
        case .sitePhonesDropped(let devices, let silenced, let isStored):
            // Write the cleared rows again for devices that still own sessions.
            if isStored { logouts.barred(devices.filter { !sessions.sessions(of: $0).isEmpty }, &out) }
            for (channel, entry) in silenced {
                out.emit(
                    .finish(
                        channel, isStored ? .revoked : .vaultUnavailable,
                        lastWords: isStored ? entry.map { .siteEntry($0) } : nil))
                phones.forget(channel, &out)
            }
            // A later grant may admit the devices again. Their earlier requests stay dropped.
            phones.unbar(devices)
        case .siteGrant(let claimed):
            guard let judge = site.judge(now: out.time) else { return }
            sitePhones.renewed(claimed, judge, sparing: busyDevices, &out)
        case .siteGrantKept(let device, let bytes):
            for channel in phones.channels(of: device) where phones.understands(.siteGrants, channel) {
                out.emit(.tellPhone(channel, .siteGrant(bytes)))
            }
        case .carryAsked(let channel, let message): site.carry(message, from: channel, &out)
        case .carried(let channel, let message): out.emit(.tellPhone(channel, .carried(message)))
        case .carryOver(let channel): out.emit(.finish(channel, .carryOver))
        case .siteLeft(let isStored): sitePhones.left(isStored: isStored, &out)
        case .asksSite(let id, let channel, let sealed): site.ask(id, channel: channel, sealed, &out)
        case .siteAnswered(let id, let outcome): credentials.siteAnswered(id, outcome, &out)
        case .selfEnrolmentWanted(let control, let user, let replacing):
            site.enrolsSelf(control, user, replacing: replacing, &out)
        case .triesTold(let device, let channel): tellState(of: device, on: channel, &out)
        }
    }

    /// Sends a phone the site data that it lacks. The box's own phones have no site.
    mutating func tellNews(_ request: DeviceRequest, _ question: [UInt8], _ out: inout Output) {
        let user = sitePhones.userID(request.device.publicKey)
        guard request.device.isOfSite, let news = site.news(for: question, of: user) else {
            return out.answer(request.tap, .badRequest)
        }
        for (kind, bytes) in news { out.emit(.tellPhone(request.channel, .siteNews(kind, bytes))) }
        out.answer(request.tap, .correct)
    }

    private mutating func judge(_ hello: VisitorHello, _ out: inout Output) {
        if hello.wantsCarry {
            if let refusal = site.opensCarry(hello.channel, &out) {
                return out.tell(.visitorIsOut(hello, refusal, entry: nil))
            }
            // The channel frees its place among half-open links. Carried channels are counted elsewhere.
            phones.channels[hello.channel]?.peer = .carried
            phones.admission.left(hello.channel)
            out.emit(.admit(hello.channel))
            return out.emit(.tellPhone(hello.channel, hello.carryAnswer))
        }
        let device = site.judge(now: out.time).map { SitePhones.device(of: hello.key, in: $0) }
        switch sitePhones.verdict(on: hello, site.judge(now: out.time), isDeaf: device.map(phones.isBarred) ?? false) {
        case .end(let reason): out.emit(.finish(hello.channel, reason))
        case .out(let code, let entry): out.tell(.visitorIsOut(hello, code, entry: entry))
        case .known(let device, let grant):
            if let sheet = hello.sheet ?? phones.sheet(of: device) {
                return out.tell(.visitorIsIn(hello, sheet, grant))
            }
            sitePhones.read(hello, device, grant, &out)
        case .new(let grant):
            guard let device, ledger.mayWrite(for: .device(device), user: grant.facts.user, &out) else {
                return out.tell(.visitorIsOut(hello, .busy, entry: nil))
            }
            sitePhones.admit(hello, device, grant, sparing: busyDevices, &out)
        }
    }

    /// Revokes phones of the site. They are barred and their sessions locked before the revocation is stored and told.
    private mutating func takeBack(_ revoked: [(device: DeviceID, entry: [UInt8])], _ out: inout Output) {
        guard !revoked.isEmpty else { return }
        let silenced = revoked.flatMap { device, entry in
            phones.channels(of: device).map { (channel: $0, entry: Optional(entry)) }
        }
        let devices = revoked.map(\.device)
        _ = phones.bar(devices, &out)
        for device in devices { orders.takenBack(device, why: "its site has revoked it", known, &out) }
        sitePhones.drop(devices, silenced, owning: owners(among: devices), &out)
    }

    mutating func leaveSite(_ control: ControlID, _ out: inout Output) {
        let devices = sitePhones.devices
        guard site.leaves(control, owning: owners(among: devices), &out) else { return }
        let silenced = phones.bar(devices, &out)
        for channel in phones.ids where phones.channels[channel]?.peer == .carried {
            out.emit(.finish(channel, .carryOver))
        }
        for device in devices { orders.takenBack(device, why: "this box is leaving its site", known, &out) }
        sitePhones.leaves(silenced)
    }

    private func owners(among devices: [DeviceID]) -> [DeviceID] {
        devices.filter { !sessions.sessions(of: $0).isEmpty }
    }

    /// The devices that are here or own a session. A new phone of the site never displaces them.
    private var busyDevices: [DeviceID] {
        var busy = Set(phones.connected)
        for session in known { if let owned = session.owned { busy.insert(owned.session.device) } }
        return busy.sorted(by: Phones.precedes)
    }
}
