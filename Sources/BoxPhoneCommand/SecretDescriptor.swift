import Glibc
import Secrets

/// Reads a secret from a file descriptor directly into guarded memory, without strings or buffered input.
enum SecretDescriptor {
    /// A bound above every secret's length. Longer input is refused, not cut.
    static let limitBytes = 1_024

    /// Reads to the end of the input, or of a terminal's line. Removes one final newline. The caller checks the bytes.
    static func read(_ descriptor: Int32, option: String) throws(Complaint) -> SecretBytes {
        guard fcntl(descriptor, F_GETFD) >= 0 else {
            throw Complaint(
                .usage,
                "\(option) \(descriptor): this descriptor is not open; open it in the shell, as in \(descriptor)<FILE")
        }
        let isTerminal = isatty(descriptor) == 1
        var secret = SecretBytes(count: limitBytes + 2)
        var count = 0
        while count < secret.count {
            let got = try chunk(descriptor, option: option, into: &secret, at: count)
            if got == 0 { break }
            count += got
            if isTerminal, secret.endsWithNewline(count) { break }
        }
        let length = secret.endsWithNewline(count) ? count - 1 : count
        guard length <= limitBytes else {
            throw Complaint(
                .badInput, "\(option) \(descriptor): the secret has more than \(limitBytes) bytes; give a shorter one")
        }
        secret.keep(0..<length)
        return secret
    }

    private static func chunk(
        _ descriptor: Int32, option: String, into secret: inout SecretBytes, at offset: Int
    ) throws(Complaint) -> Int {
        while true {
            let got = secret.withMutableBytes { bytes in
                // SAFETY: `read` writes at most the bytes that remain after `offset`.
                bytes.withUnsafeMutableBytes { buffer in
                    Glibc.read(descriptor, buffer.baseAddress.map { $0 + offset }, buffer.count - offset)
                }
            }
            if got >= 0 { return got }
            guard errno == EINTR else {
                let reason = String(cString: strerror(errno))
                throw Complaint(
                    .usage,
                    "\(option) \(descriptor): cannot read the descriptor (\(reason)); give one that is open for reading"
                )
            }
        }
    }
}

extension SecretBytes {
    /// Returns whether the first `count` bytes end with a newline.
    borrowing func endsWithNewline(_ count: Int) -> Bool {
        guard count > 0 else { return false }
        return withBytes { $0.unsafeLoad(fromByteOffset: count - 1, as: UInt8.self) == UInt8(ascii: "\n") }
    }
}
