import Names
import PhoneMessages
import VaultPort

/// Returns a device id that is the same for the same number.
func testDevice(_ number: UInt8) -> DeviceID {
    guard let id = DeviceID(bytes: [UInt8](repeating: number, count: DeviceID.byteCount)) else {
        preconditionFailure("16 bytes are a device id")
    }
    return id
}

func testRequest(_ number: UInt32) -> RequestID {
    guard let id = RequestID(rawValue: number) else { preconditionFailure("request ids begin with 1") }
    return id
}
