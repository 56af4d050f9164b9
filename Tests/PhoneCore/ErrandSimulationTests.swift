import PhoneMessages
import Secrets
import TestSupport
import Testing
import VaultPort

@testable import PhoneCore

/// Random worlds around each kind of order, with the real channel. Boxes send anything, links break, answers come late
/// or never, and the user cancels.
@Suite("Errands in hostile worlds")
struct ErrandSimulationTests {
    /// Returns an order, and how many secrets it may send. Nil means one for each PIN that was entered.
    private func order(_ kind: Int, _ box: ModelBox, _ other: ModelBox) -> (order: Order, secrets: Int?) {
        let target = BoxTarget(box.row)
        let both = BoxTarget(boxID: box.row.digits, candidates: [box.row, other.row])
        func secret() -> HeldSecret { HeldSecret(SecretBytes(copying: Array("secret".utf8))) }
        switch kind {
        case 0: return (.request(target, .status), 0)
        case 1: return (.request(target, .login(secret())), 1)
        case 2: return (.request(target, .loginWithPIN(secret())), 1)
        case 3: return (.request(target, .storeCredential(secret(), pin: secret())), 1)
        case 4: return (.request(both, .unlock), 0)
        case 5: return (.login(target, asksPerson: true), nil)
        case 6: return (.login(both, asksPerson: false), nil)
        case 7: return (.extend(target), 0)
        case 8: return (.watch(target), 1)
        case 9: return (.ping(target, size: 9_000, count: 3), 0)
        case 10: return (.measure(target, count: 3, every: .seconds(1)), 0)
        case 11: return (.scan([box.row, other.row]), 0)
        case 12: return (.choose(both), 0)
        default: return (.find(digits: box.row.digits, among: [box.row]), 0)
        }
    }

    @Test("No world makes an errand hang, send a secret twice or go on after its end", arguments: seeds)
    func hostile(seed: UInt64) throws {
        for round in 0..<400 {
            var random = SeededGenerator(seed: seed &+ UInt64(round) &* 0x1_0000_0001)
            let box = try ModelBox(confirmed: round % 3 != 0, mode: round % 2 == 0 ? .boxHeld : .phoneHeld)
            let other = try ModelBox()
            let (order, secrets) = order(round % 14, box, other)
            let generator = Shared(random)
            for model in [box, other] {
                model.answer = { message in
                    if generator.chance(2, in: 3) { return ModelBox.politely(message) }
                    return (0..<generator.below(3)).map { _ in generator.message(message.id) }
                }
            }
            let rig = ErrandRig(order, [box, other])
            var pins = 0
            for _ in 0..<300 where rig.end == nil { step(rig, &random, &pins) }
            finish(rig)
            #expect(rig.end != nil, "round \(round) of seed \(seed) hangs: \(rig.pending)")
            #expect(rig.actionsAfterEnd == 0, "round \(round) of seed \(seed) goes on")
            #expect(rig.mostUnwritten <= 64, "round \(round) of seed \(seed)")
            let sent = box.secretRequests + other.secretRequests
            #expect(sent <= secrets ?? max(pins, 1), "round \(round) of seed \(seed) sent \(sent) secrets")
            // Only the box that was meant or chosen receives a password.
            #expect(box.secretRequests == 0 || other.secretRequests == 0, "round \(round) of seed \(seed)")
        }
    }

    private func step(_ rig: ErrandRig, _ random: inout SeededGenerator, _ pins: inout Int) {
        switch Int.random(in: 0..<40, using: &random) {
        case 0: rig.cut()
        case 1: rig.wait(.milliseconds(Int.random(in: 1...20_000, using: &random)))
        case 2: rig.push(ModelBox.anything(.first, using: &random))
        case 3: rig.feed(.tap(.act(.lock)))
        case 4 where Int.random(in: 0..<20, using: &random) == 0: rig.feed(.cancel)
        case 5 where Int.random(in: 0..<20, using: &random) == 0: rig.feed(.stop)
        case 6: _ = rig.waitForDeadline()
        case 7...15: rig.write()
        case 16...24: rig.read()
        default:
            guard !rig.pending.isEmpty else { return rig.write() }
            let index = Int.random(in: rig.pending.indices, using: &random)
            if case .vault(let number, _) = rig.pending[index], Int.random(in: 0..<8, using: &random) == 0 {
                rig.pending.remove(at: index)
                return rig.feed(.vault(number, .failed(.diskFull)))
            }
            if case .pin = rig.pending[index] { pins += 1 }
            rig.answer(index)
        }
    }

    /// Cancels the operation and runs it to its end.
    private func finish(_ rig: ErrandRig) {
        rig.feed(.cancel)
        rig.run()
    }

    @Test("Whoever gives up while the vault works is done when it has answered", arguments: 0..<14)
    func cancelledBehindTheVault(kind: Int) throws {
        for depth in 1...3 {
            let (box, other) = (try ModelBox(confirmed: false), try ModelBox(confirmed: false))
            let rig = ErrandRig(order(kind, box, other).order, [box, other])
            rig.run(until: { rig.isAtVault && rig.vaultCommands.count == depth })
            guard rig.end == nil, rig.isAtVault else { continue }
            // Segments that are still queued were sent before the cancel.
            while !rig.unwritten.isEmpty { rig.write() }
            let asked = box.requests + other.requests
            rig.feed(.cancel)
            if rig.end == nil { rig.answer() }
            #expect(rig.end != nil, "kind \(kind) at use \(depth) of the vault")
            #expect(box.requests + other.requests == asked, "kind \(kind) at use \(depth) of the vault")
        }
    }
}

/// A generator that closures share.
private final class Shared {
    private var random: SeededGenerator

    init(_ random: SeededGenerator) {
        self.random = random
    }

    func chance(_ part: Int, in whole: Int) -> Bool { Int.random(in: 0..<whole, using: &random) < part }
    func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    func message(_ id: RequestID) -> BoxMessage { ModelBox.anything(id, using: &random) }
}

extension ErrandRig {
    /// True if the operation's oldest unanswered request is one to the vault.
    var isAtVault: Bool {
        guard case .vault? = pending.first else { return false }
        return true
    }
}
