import Names
import Secrets

extension DeviceID {
    /// Makes an ID of 16 random bytes.
    public init() {
        self.init(known: randomBytes(count: Self.byteCount))
    }
}
