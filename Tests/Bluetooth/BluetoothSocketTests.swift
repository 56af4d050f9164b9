import Bluetooth
import EventLoop
import Testing

@Suite("Bluetooth sockets")
struct BluetoothSocketTests {
    @Test("An address is read and written as it is printed, and nothing else is one")
    func address() {
        let address = BluetoothAddress("00:aA:01:F0:ff:10", .random)
        #expect(address?.description == "00:AA:01:F0:FF:10")
        #expect(address?.kind == .random)
        #expect(address != BluetoothAddress("00:AA:01:F0:FF:10", .public))
        #expect(BluetoothAddress("00:00:00:00:00:00", .public) == .any)
        for text in [
            "", "00:AA:01:F0:FF", "00:AA:01:F0:FF:10:", "00:AA:01:F0:FF:10:11", "00:AA:01:F0:FF:1", "00:AA:01:F0:FF:+1",
            "00-AA-01-F0-FF-10", "00:AA:01:F0:FF:1g", " 0:AA:01:F0:FF:10",
        ] {
            #expect(BluetoothAddress(text, .public) == nil, "\(text)")
        }
    }

    /// Both outcomes are valid, because this kernel may lack Bluetooth. The virtual machine's tests cover the rest.
    @Test("A listener gets a PSM for LE, or says that the kernel has no Bluetooth")
    func listener() async throws {
        let outcome: Result<UInt16, SocketError> = try await EpollLoop.withThread { loop in
            do throws(SocketError) {
                let listener = try L2CAPListener(options: L2CAPOptions(receiveMTU: 1_024), loop: loop)
                await listener.close()
                return .success(listener.psm)
            } catch {
                return .failure(error)
            }
        }
        switch outcome {
        case .success(let psm): #expect((0x0080...0x00FF).contains(psm))
        case .failure(let error): #expect("\(error)".hasPrefix("cannot make an L2CAP socket: "))
        }
    }

    @Test("A controller that is not there, or has no such connection, tells no signal and says why")
    func signal() async throws {
        let peer = try #require(BluetoothAddress("00:AA:01:F0:FF:10", .public))
        let reason: String? = try await EpollLoop.withThread { loop in
            do throws(SystemError) {
                _ = try await ControllerSignal.measure(
                    peer, adapter: 40, on: loop, until: loop.now() + .milliseconds(100))
                return nil
            } catch {
                return "\(error)"
            }
        }
        #expect(reason?.hasPrefix("cannot open hci40: ") == true)
    }
}
