import VaultPort

/// A link on which a box shows its site document, and may be shown the phone's: where the one does not know an issuer of the other's.
/// Nothing on it says who the phone is. What it does, `SiteDesk` makes.
///
/// ```
/// opening ──► asking ── a newer document ──► keeping ──► (over)
///    └─ link ───┴──────── none, or refused ────────────► (over)
/// ```
final class DocumentExchange: Sendable {
    /// The box lacks the phone's document, and is shown it.
    let isOffer: Bool
    let handle: @Sendable (Input, Duration, PhoneLimits) -> DocumentStep

    init(isOffer: Bool, handle: @escaping @Sendable (Input, Duration, PhoneLimits) -> DocumentStep) {
        self.isOffer = isOffer
        self.handle = handle
    }
}

/// What an exchange wants done.
enum DocumentStep {
    case wait
    /// Asks in clear, on the carrier that was opened.
    case ask(PhoneEnd, until: Duration)
    /// The site with its newer document, once the vault has done this.
    case keep(KnownSite, PhoneVaultCommand)
    /// `isDone`: both know the same document.
    case over(isDone: Bool)
}
