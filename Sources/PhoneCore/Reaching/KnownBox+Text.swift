import Links
import Secrets
import VaultPort

extension KnownBox {
    /// Returns whether both are the same box. All boxes of a site share the id of the site's row.
    public func isSame(as other: KnownBox) -> Bool {
        id == other.id && (site == nil || boxID == other.boxID)
    }

    /// The digits on the box's screen.
    public var digits: String { String(bytes: boxID) }

    /// 16 hexadecimal digits of SHA-256 of the box's key. Distinguishes boxes with the same digits.
    public var fingerprint: String { String(bytes: fingerprint(bytes: 8)) }

    private func fingerprint(bytes: Int) -> [UInt8] {
        var text: [UInt8] = []
        for byte in SHA256.hash(boxKey).prefix(bytes) {
            for digit in [byte >> 4, byte & 15] { text.append(digit + (digit < 10 ? 0x30 : 0x57)) }
        }
        return text
    }

    /// Digits and fingerprint, in ASCII.
    func longName(fingerprintBytes: Int) -> [UInt8] {
        boxID + [UInt8(ascii: "-")] + fingerprint(bytes: fingerprintBytes)
    }

    /// Returns the digits, with the fingerprint if another of `boxes` shows the same digits.
    public func name(among boxes: [KnownBox]) -> String {
        let isAlone = boxes.allSatisfy { $0.id == id || $0.boxID != boxID }
        return isAlone ? digits : String(bytes: longName(fingerprintBytes: 4))
    }
}
