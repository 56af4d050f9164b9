import VaultPort

/// A link on which box and phone exchange site documents, if one of them does not know the other's issuer. The link
/// does not identify the phone. `SiteDesk` supplies the behaviour.
///
/// ```
/// opening ──► asking ── a newer document ──► keeping ──► (over)
///    └─ link ───┴──────── none, or refused ────────────► (over)
/// ```
final class DocumentExchange: Sendable {
    /// True if the box lacks the phone's document and is shown it.
    let isOffer: Bool
    let handle: @Sendable (Input, Duration, PhoneLimits) -> DocumentStep

    init(isOffer: Bool, handle: @escaping @Sendable (Input, Duration, PhoneLimits) -> DocumentStep) {
        self.isOffer = isOffer
        self.handle = handle
    }
}

/// The next step of an exchange.
enum DocumentStep {
    case wait
    /// Asks in clear, on the open carrier.
    case ask(PhoneEnd, until: Duration)
    /// The site with its newer document, valid once the vault has run this command.
    case keep(KnownSite, PhoneVaultCommand)
    /// The exchange has ended. `isDone` is true if box and phone now have the same document.
    case over(isDone: Bool)
}
