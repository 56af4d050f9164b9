import AuditLog
import Names
import PhoneMessages
import Secrets
import SiteLink
import TextOutput
import VaultPort

/// Requests that use a credential held by the box or its site, opened by a PIN and the phone's half of the key.
/// Phone-held credentials pass through.
///
///     login, elevate ─────────────────────────────────────► opened
///     … with PIN ──► vault, or site (the try is spent first) ──► opened
///                          └─ withdrawn: opens nothing └─ wrong, wiped, locked out, none, away
///     store, change ──► vault, or site ──► correct
///
/// Each device has one request at a time in progress. Its other requests wait here. Every request costs the vault a
/// hash, and a phone that keeps trying must not delay other phones.
package struct Credentials: Sendable {
    private struct Job: Sendable {
        let request: DeviceRequest
        /// The use of the opened credential. It is nil for a request that stores a credential or changes its PIN.
        let purpose: TapPurpose?
        let askedAt: Duration
        /// True if the request was withdrawn: by the phone, a wipe, a changed password, or the end of the channel. A
        /// spent try still counts.
        var isWithdrawn = false
    }

    /// A request that waits for an earlier one of its device, or for a wipe. `Phones.openLimit` bounds the requests.
    private struct Waiting: Sendable {
        let job: Job
        let work: Work
    }

    private enum Work: Sendable {
        case vault(VaultCommand)
        /// The bytes that the phone has sealed for its site.
        case site([UInt8])
    }

    /// A program that changed the user's password, and waits until the change is noted.
    private struct PasswordChange: Sendable {
        let program: ProgramID
        let user: [UInt8]
    }

    private var jobs = Pending<Job>(.credentials)
    private var running: [DeviceID: OperationID] = [:]
    private var waiting: [Waiting] = []
    /// The devices of each wipe in progress. New requests of these devices wait.
    private var wipes: [[DeviceID]] = []
    private var changes = Pending<PasswordChange>(.credentials, after: OperationID.secondKind)

    package init() {}

    /// Returns why the request is refused before a try is spent or data is written, or nil if it may go on.
    ///
    /// - Parameter isSiteHeld: The device's site holds its credential.
    package static func refusal(_ request: DeviceRequest, isSiteHeld: Bool = false) -> ResultCode? {
        switch request.request {
        case .login, .elevate: request.device.mode == .phoneHeld && !isSiteHeld ? nil : .notAllowed
        case .siteLogin, .siteElevate, .siteAsk: isSiteHeld ? nil : .notAllowed
        case .storeCredential: request.device.mode == .boxHeld ? nil : .notAllowed
        default: nil
        }
    }

    package mutating func asked(_ request: DeviceRequest, _ out: inout Output) {
        let device = request.device.id
        let changing = Job(request: request, purpose: nil, askedAt: out.time)
        switch request.request {
        case .login(let credential): open(request, credential, for: .login, askedAt: out.time, &out)
        case .elevate(let id, let credential):
            open(request, credential, for: .elevation(id), askedAt: out.time, &out)
        case .loginWithPIN(let pin, let secret): tryPIN(request, pin, secret, for: .login, &out)
        case .elevateWithPIN(let id, let pin, let secret): tryPIN(request, pin, secret, for: .elevation(id), &out)
        case .storeCredential(let pin, let secret, let credential):
            let command = VaultCommand.storeCredential(device, pin: pin, deviceSecret: secret, credential: credential)
            begin(Waiting(job: changing, work: .vault(command)), &out)
        case .changePIN(let old, let new, let secret):
            let command = VaultCommand.changePIN(device, old: old, new: new, deviceSecret: secret)
            begin(Waiting(job: changing, work: .vault(command)), &out)
        case .siteLogin(let sealed):
            begin(Waiting(job: opening(request, for: .login, &out), work: .site(sealed)), &out)
        case .siteElevate(let id, let sealed):
            begin(Waiting(job: opening(request, for: .elevation(id), &out), work: .site(sealed)), &out)
        case .siteAsk(let sealed): begin(Waiting(job: changing, work: .site(sealed)), &out)
        default: out.answer(request.tap, .badRequest)
        }
    }

    /// Marks the user's stored credentials as out of date, and withdraws the user's requests that open a credential.
    package mutating func passwordChanged(of user: [UInt8], by program: ProgramID, _ out: inout Output) {
        withdraw({ $0.request.device.user == user && $0.purpose != nil }, &out)
        let id = changes.open(PasswordChange(program: program, user: user))
        out.emit(.vault(id, .markStale(user: user)))
    }

    /// Withdraws the device's logins, and answers those that wait. A login whose PIN is being checked is answered after
    /// the check: `cancelled`, or a wrong PIN, which has spent a try.
    package mutating func withdrawLogins(of device: DeviceID, _ out: inout Output) {
        withdraw({ $0.request.device.id == device && $0.purpose == .login }, &out)
    }

    private mutating func withdraw(_ isMeant: (Job) -> Bool, _ out: inout Output) {
        for wish in waiting where isMeant(wish.job) { out.answer(wish.job.request.tap, .cancelled) }
        waiting.removeAll { isMeant($0.job) }
        jobs.change { if isMeant($0) { $0.isWithdrawn = true } }
    }

    /// Withdraws the devices' requests in progress, and delays their new requests until the wipe has ended.
    package mutating func wipeBegins(_ devices: [DeviceID]) {
        wipes.append(devices)
        jobs.change { if devices.contains($0.request.device.id) { $0.isWithdrawn = true } }
    }

    package mutating func wipeOver(_ devices: [DeviceID], _ out: inout Output) {
        guard let place = wipes.firstIndex(of: devices) else { return }
        wipes.remove(at: place)
        for device in devices { goOn(device, &out) }
    }

    /// Drops all requests of the devices. Answers that still arrive are ignored, and their secrets are dropped.
    package mutating func barred(_ devices: [DeviceID]) {
        waiting.removeAll { devices.contains($0.job.request.device.id) }
        jobs.drop { devices.contains($0.request.device.id) }
    }

    package mutating func channelLeft(_ channel: ChannelID) {
        waiting.removeAll { $0.job.request.channel == channel }
        jobs.change { if $0.request.channel == channel { $0.isWithdrawn = true } }
    }

    package mutating func answered(_ id: OperationID, _ answer: Answer, _ out: inout Output) {
        if let change = changes.close(id) { return marked(change, answer, &out) }
        finish(id, answer, &out)
        goOn(behind: id, &out)
    }

    /// Finishes a request that was carried to the site. `outcome` is nil if the result is unknown.
    package mutating func siteAnswered(_ id: OperationID, _ outcome: HeldAnswer.Outcome?, _ out: inout Output) {
        if let job = jobs.close(id) { finish(job, outcome, &out) }
        goOn(behind: id, &out)
    }

    private mutating func goOn(behind id: OperationID, _ out: inout Output) {
        // Continue even if the request was dropped while it ran.
        guard let device = running.first(where: { $0.value == id })?.key else { return }
        running[device] = nil
        goOn(device, &out)
    }

    private mutating func goOn(_ device: DeviceID, _ out: inout Output) {
        guard mayBegin(device), let next = waiting.firstIndex(where: { $0.job.request.device.id == device }) else {
            return
        }
        begin(waiting.remove(at: next), &out)
    }

    private func mayBegin(_ device: DeviceID) -> Bool {
        running[device] == nil && !wipes.contains { $0.contains(device) }
    }

    private mutating func begin(_ wish: Waiting, _ out: inout Output) {
        let device = wish.job.request.device.id
        guard mayBegin(device) else { return waiting.append(wish) }
        let id = jobs.open(wish.job)
        running[device] = id
        switch wish.work {
        case .vault(let command): out.emit(.vault(id, command))
        case .site(let sealed): out.tell(.asksSite(id, channel: wish.job.request.channelHash, sealed: sealed))
        }
    }

    private mutating func finish(_ id: OperationID, _ answer: Answer, _ out: inout Output) {
        guard let job = jobs.close(id), case .vault(let said) = answer else { return }
        let request = job.request
        switch said {
        case .opened(let outcome, let state):
            out.tell(.credentialKnown(request.device.id, state))
            opened(outcome, job, &out)
        case .stored(let state):
            out.tell(.credentialKnown(request.device.id, state))
            out.answer(request.tap, .correct)
        case .failed(let error): fault(request, "\(error)", &out)
        default: fault(request, "the vault sent an unexpected reply", &out)
        }
    }

    private func finish(_ job: Job, _ outcome: HeldAnswer.Outcome?, _ out: inout Output) {
        let request = job.request
        let device = request.device.id
        func known(_ left: UInt8?) {
            out.tell(.credentialKnown(device, left.map { CredentialState(attemptsLeft: $0, stale: false) }))
        }
        switch outcome {
        case nil, .notNow: out.answer(request.tap, .siteAway)
        case .opened(let credential, let left) where job.purpose != nil:
            known(left)
            opened(.opened(credential.secret), job, &out)
        case .done(let left) where job.purpose == nil:
            known(left)
            out.tell(.triesTold(device, request.channel))
            out.answer(request.tap, .correct)
        case .pinWrong(let left):
            known(left)
            opened(.pinWrong(attemptsLeft: left), job, &out)
        case .lockedOut(let seconds): opened(.lockedOut(seconds: seconds), job, &out)
        case .wiped:
            known(nil)
            opened(.wiped, job, &out)
        case .noCredential:
            known(nil)
            opened(.noCredential, job, &out)
        // The phone sealed a request other than the announced one, or one that the site refused.
        case .done, .opened, .refused: out.answer(request.tap, .badRequest)
        }
    }

    private mutating func tryPIN(
        _ request: DeviceRequest, _ pin: HeldSecret, _ secret: HeldSecret, for purpose: TapPurpose, _ out: inout Output
    ) {
        let command = VaultCommand.openCredential(request.device.id, pin: pin, deviceSecret: secret)
        begin(Waiting(job: opening(request, for: purpose, &out), work: .vault(command)), &out)
    }

    private func opening(_ request: DeviceRequest, for purpose: TapPurpose, _ out: inout Output) -> Job {
        Job(request: request, purpose: purpose, askedAt: out.time)
    }

    private func open(
        _ request: DeviceRequest, _ credential: HeldSecret, for purpose: TapPurpose, askedAt: Duration,
        _ out: inout Output
    ) {
        let tap = Tap(
            id: request.tap, device: request.device.id, user: request.device.user, credential: credential,
            tappedAt: askedAt)
        out.tell(.opened(tap, for: purpose))
    }

    private func opened(_ outcome: CredentialOutcome, _ job: Job, _ out: inout Output) {
        let request = job.request
        let device = request.device
        switch outcome {
        case .opened(let credential):
            guard let purpose = job.purpose else { return out.answer(request.tap, .correct) }
            guard !job.isWithdrawn else { return out.answer(request.tap, .cancelled) }
            open(request, credential, for: purpose, askedAt: job.askedAt, &out)
        case .pinWrong(let left):
            out.emit(.count(.pinWrong))
            out.recordCounted(
                .pinWrong, user: device.user, device: device.id, by: .phone(device.id),
                detail: Plural.text(left, "try", "tries") + " left")
            out.answer(request.tap, .pinWrong, ResultDetail(attemptsLeft: left))
        // The vault has already written the audit entry, together with the wipe.
        case .wiped:
            out.tell(.credentialWiped(device.id))
            out.answer(request.tap, .wiped)
        case .lockedOut(let seconds):
            out.answer(request.tap, .lockedOut, ResultDetail(retryAfterSeconds: seconds))
        case .noCredential: out.answer(request.tap, .noCredential)
        case .stale: out.answer(request.tap, .credentialStale)
        }
    }

    private func marked(_ change: PasswordChange, _ answer: Answer, _ out: inout Output) {
        switch answer {
        case .vault(.stale(let devices)):
            for device in devices {
                out.record(.credentialStale, user: change.user, device: device, by: .agent)
                out.tell(.credentialStale(device))
            }
            out.emit(.tellProgram(change.program, .noted))
        case .vault(.failed(let error)): out.log(.error, "stored credentials could not be marked stale: \(error)")
        default: break
        }
    }

    private func fault(_ request: DeviceRequest, _ why: String, _ out: inout Output) {
        out.log(.error, "a request of device \(request.device.id) failed: \(why)")
        out.answer(request.tap, .boxFault)
    }
}
