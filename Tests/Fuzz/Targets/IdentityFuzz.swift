import Secrets
import SecureChannel

/// The identity characteristic and its certificate, as any device nearby may show them.
enum IdentityFuzz {
    static let entry: FuzzEntry = { data, count in
        let bytes = input(data, count)
        guard let identity = try? BoxIdentity(parsing: bytes) else { return 0 }
        promise(identity.bytes == bytes, "an identity does not come out as it went in")
        let verified = try? identity.certificate.verify(authority: FuzzKeys.authority)
        promise(
            verified == nil
                || bytes.dropFirst(2).starts(with: FuzzKeys.identity.dropFirst(2).prefix(BoxCertificate.byteCount)),
            "a certificate that the authority never signed was verified")
        return 0
    }
}

/// The enrolment code, as a person may paste it.
enum EnrolmentURIFuzz {
    static let entry: FuzzEntry = { data, count in
        let bytes = input(data, count)
        guard let uri = try? EnrolmentURI(parsing: SecretBytes(copying: bytes)) else { return 0 }
        let text = uri.format().withBytes { span in (0..<span.byteCount).map { span.byteForFuzz(at: $0) } }
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let trimmed = bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        promise(text == Array(trimmed), "a code does not come out as it went in")
        return 0
    }
}

extension RawSpan {
    func byteForFuzz(at index: Int) -> UInt8 {
        // SAFETY: every bit pattern is a UInt8, and the call is bounds-checked.
        unsafeLoad(fromByteOffset: index, as: UInt8.self)
    }
}
