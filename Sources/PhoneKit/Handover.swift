import Secrets

/// A secret on its way to the box. It is taken once, so that nothing of it stays in this process while the answer is
/// waited for, which can take minutes.
final class Handover {
    private var secret: HeldSecret?

    init(_ secret: consuming HeldSecret? = nil) {
        self.secret = secret
    }

    func fill(_ secret: consuming HeldSecret) {
        self.secret = secret
    }

    /// The secret, the first time.
    func take() throws(PhoneError) -> HeldSecret {
        guard let secret = secret.take() else { throw .cancelled }
        return secret
    }
}
