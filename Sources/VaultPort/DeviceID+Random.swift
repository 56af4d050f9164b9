import Names
import Secrets

extension DeviceID {
    /// A new id: 16 random bytes.
    public init() {
        self.init(known: randomBytes(count: Self.byteCount))
    }
}
