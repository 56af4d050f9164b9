import Crypto
import PageCore
import Testing

@Suite("The proxy's secret")
struct ProxySecretTests {
    private func secret(_ text: String) -> ProxySecret? {
        ProxySecret(
            hash: SHA256.hash(data: Array(text.utf8)).map { byte in
                let digits = String(byte, radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }.joined())
    }

    @Test("Only the secret, sent once, is the secret")
    func sent() throws {
        let text = String(repeating: "k", count: 32)
        let known = try #require(secret(text))
        #expect(known.isSent([text]))
        for other in [[], [""], [text + "k"], [String(text.dropLast())], [text, text], [text.uppercased()]] {
            #expect(!known.isSent(other), "\(other)")
        }
    }

    @Test("A secret that is short enough to be guessed is not accepted, nor one without end")
    func lengths() throws {
        for count in [0, 31, 129] {
            let text = String(repeating: "k", count: count)
            let known = try #require(secret(text))
            #expect(!known.isSent([text]))
        }
    }

    @Test("A hash is 64 hexadecimal digits")
    func hashes() {
        let hash = String(repeating: "0a", count: 32)
        #expect(ProxySecret(hash: hash) == ProxySecret(hash: hash.uppercased()))
        for other in [
            "", String(hash.dropLast()), hash + "0", String(repeating: "0g", count: 32),
            String(repeating: "é", count: 32),
        ] {
            #expect(ProxySecret(hash: other) == nil, "\(other)")
        }
    }
}
