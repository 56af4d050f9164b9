import Secrets
import VaultPort

extension KnownBox {
    /// The digits on the box's screen.
    public var digits: String { String(decoding: boxID, as: UTF8.self) }

    /// 16 hexadecimal digits of SHA-256 of the box's key: tells boxes with the same digits apart.
    public var fingerprint: String {
        let digits = Array("0123456789abcdef".utf8)
        let bytes = SHA256.hash(boxKey).prefix(8).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The digits, or digits and fingerprint where another of `boxes` shows the same digits.
    public func name(among boxes: [KnownBox]) -> String {
        let isAlone = boxes.allSatisfy { $0.id == id || $0.boxID != boxID }
        return isAlone ? digits : digits + "-" + fingerprint.prefix(8)
    }
}
