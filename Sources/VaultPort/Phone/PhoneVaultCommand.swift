import Names
import Secrets

/// What a phone's machine asks of the phone's vault. Each is done as a whole, durably, before it is answered.
public indirect enum PhoneVaultCommand: Sendable {
    /// The row of a box; `box(nil)` where it is gone.
    case box([UInt8])
    /// The private key for a box; `secret`.
    case deviceKey([UInt8])
    /// What opens the credential that the box holds; `secret(nil)` where there is none.
    case deviceSecret([UInt8])
    /// A new device secret in place of none; `secret`.
    case renewDeviceSecret([UInt8])
    case destroyDeviceSecret([UInt8])
    /// Destroys all that is kept for a box; one that is not there any more counts as done.
    case forget([UInt8])
    /// A certificate with this serial and these digits was seen; `box` with the row that holds then.
    case raiseSerial([UInt8], to: UInt64, boxID: [UInt8])
    /// Makes keys for a box before it hears of them; `box` with the new row.
    case beginEnrolment(NewBox)
    case setLabel([UInt8], of: [UInt8])
    /// The box has this phone among its devices; `box` with the row that holds then.
    case confirmEnrolment([UInt8], user: [UInt8], mode: CredentialMode)
    /// Opens the credential that the phone keeps for a box. A PIN is a try; `credential`.
    case openCredential([UInt8], pin: HeldSecret?)
    /// When the password behind the row was refused, whoever keeps it; `refusal`.
    case refusal([UInt8])
    /// The password behind the row was refused just now; or it was accepted, or replaced. `done`.
    case noteRefusal([UInt8], isRefused: Bool)
    /// What one request to a site is sealed with: the PINs are hashed with this salt, of 16 bytes. No try of the phone's own PIN;
    /// `siteUnlocked`.
    case unlockSite([UInt8], salt: [UInt8], pin: HeldSecret?, newPIN: HeldSecret?)
    /// The key that waits for a site, made where none waits; `siteKey`.
    case siteKey
    /// Keeps what a site has given to the row's key; `done`.
    case keepSite(GrantedSite, as: [UInt8])
    /// A box (its key) of the site has the grant, or has it no more. Nobody waits for it.
    case noteSiteBox([UInt8], of: [UInt8], hasGrant: Bool)
    /// The site has issued the grant anew; it takes the place of the old one. Nobody waits for it.
    case keepSiteGrant([UInt8], of: [UInt8], inPlaceOf: [UInt8])
    /// What a box has told of a site.
    case keepSiteNews(SiteNews)
    /// The site has taken the grant back, by this entry: what is kept is used no more.
    case stopSite([UInt8], entry: [UInt8])
}

/// What the phone's vault answers.
public indirect enum PhoneVaultAnswer: Sendable {
    case done
    case box(KnownBox?)
    case secret(HeldSecret?)
    case siteUnlocked(SiteUnlocking)
    /// The id of the row, and the private key.
    case siteKey([UInt8], HeldSecret)
    /// With the tries that are left of the phone's own PIN, where there is one.
    case credential(PhoneCredentialOutcome, triesLeft: Int?)
    /// In seconds since 1970; nil: it was not refused, as far as is known.
    case refusal(at: Int64?)
    case failed(VaultError)
}
