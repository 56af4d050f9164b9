// Connects boxagent's L2CAP sockets on two controllers of the virtual machine: `l2cap-probe BOX PHONE [MTU]`, with two
// public addresses. Prints the results, and exits with 0 if every byte came back.
import Bluetooth
import EventLoop
import Glibc

struct Failure: Error { let text: String }

func block(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) }
}

func milliseconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) * 1_000 + Double(duration.components.attoseconds) / 1e15
}

/// Sends until the other side, which does not read, stops the sender. Then every sent block must arrive.
func holdBack(_ phone: SeqPacketConnection, _ box: SeqPacketConnection, _ size: Int, _ blocks: Int) async throws {
    let loop = phone.loop
    var sent = 0
    let before = loop.now()
    do {
        while sent < blocks {
            try await phone.send(block(sent, size), until: loop.now() + .milliseconds(300))
            sent += 1
        }
    } catch SocketError.timedOut {
        print("held back after \(sent) SDUs")
    }
    print("sent \(sent) SDUs unread in \(milliseconds(loop.now() - before)) ms")
    for number in 0..<sent {
        let got = try await box.receive(limit: 65_535, until: loop.now() + .seconds(5))
        guard got == block(number, size) else { throw Failure(text: "SDU \(number) of \(sent) is not what was sent") }
    }
}

func probe(_ loop: EpollLoop, _ names: [String], mtu: Int) async throws {
    let addresses = names.compactMap { BluetoothAddress($0, .public) }
    guard addresses.count == 2 else { throw Failure(text: "two addresses are needed") }
    let options = L2CAPOptions(receiveMTU: mtu)
    let listener = try L2CAPListener(on: addresses[0], options: options, loop: loop)
    print("listening on PSM 0x\(String(listener.psm, radix: 16))")
    let accepting = loop.spawn { try? await listener.accept() }
    let start = loop.now()
    let (phone, sendMTU) = try await SeqPacketConnection.connect(
        from: addresses[1], to: addresses[0], psm: listener.psm, options: options, on: loop,
        until: loop.now() + .seconds(10))
    guard let accepted = await accepting.value else { throw Failure(text: "nothing was accepted") }
    print("connected in \(milliseconds(loop.now() - start)) ms, peer \(accepted.peer)")
    print("MTU \(sendMTU) of the box, \(accepted.sendMTU) of the phone")
    let echo = loop.spawn {
        var left = 64
        while left > 0, let bytes = try? await accepted.connection.receive(limit: 65_535) {
            try? await accepted.connection.send(bytes)
            left -= 1
        }
    }
    let begun = loop.now()
    let size = min(sendMTU, accepted.sendMTU)
    for number in 0..<64 {
        try await phone.send(block(number, size))
        guard try await phone.receive(limit: 65_535, until: loop.now() + .seconds(5)) == block(number, size) else {
            throw Failure(text: "echo \(number) differs")
        }
    }
    await echo.value
    print("64 echoes of \(size) bytes in \(milliseconds(loop.now() - begun)) ms")
    try await holdBack(phone, accepted.connection, size, 32)
    print("a window of 32 came whole")
    await phone.close()
    guard try await accepted.connection.receive(limit: 65_535, until: loop.now() + .seconds(5)) == nil else {
        throw Failure(text: "no end")
    }
    let wrong: UInt16 = listener.psm == 0xFF ? 0x80 : listener.psm + 1
    do {
        _ = try await SeqPacketConnection.connect(
            from: addresses[1], to: addresses[0], psm: wrong, options: options, on: loop,
            until: loop.now() + .seconds(10))
        throw Failure(text: "a PSM that nobody listens on was connected to")
    } catch let error as SocketError {
        print("a wrong PSM: \(error)")
    }
    await accepted.connection.close()
    await listener.close()
}

let loop = try EpollLoop()
let names = Array(CommandLine.arguments.dropFirst().prefix(2))
let mtu = CommandLine.arguments.count > 3 ? Int(CommandLine.arguments[3]) ?? 1_024 : 1_024
loop.spawn {
    do {
        try await probe(loop, names, mtu: mtu)
        print("good")
        exit(0)
    } catch {
        print("failed: \(error)")
        exit(1)
    }
}
loop.run()
