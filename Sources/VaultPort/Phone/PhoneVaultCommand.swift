import Names
import Secrets

/// The commands of a phone's machine to its vault. Each is done as a whole and durably before the answer.
public indirect enum PhoneVaultCommand: Sendable {
    /// Reads the row of a box; answered by `box`, with nil if it no longer exists.
    case box([UInt8])
    /// Reads the private key for a box; answered by `secret`.
    case deviceKey([UInt8])
    /// Reads the device secret, which opens a box-held credential; answered by `secret`, with nil if there is none.
    case deviceSecret([UInt8])
    /// Makes a device secret where none exists; answered by `secret`.
    case renewDeviceSecret([UInt8])
    case destroyDeviceSecret([UInt8])
    /// Destroys all data about a box. Succeeds if the box no longer exists.
    case forget([UInt8])
    /// Notes the serial and digits of a certificate; answered by `box` with the row that is then valid.
    case raiseSerial([UInt8], to: UInt64, boxID: [UInt8])
    /// Notes where the box was found alone; an empty address forgets that. No caller awaits the answer.
    case noteAddress([UInt8], of: [UInt8])
    /// Makes keys for a box before the box knows them; answered by `box` with the new row.
    case beginEnrolment(NewBox)
    case setLabel([UInt8], of: [UInt8])
    /// Notes that the box has enrolled this phone; answered by `box` with the row that is then valid.
    case confirmEnrolment([UInt8], user: [UInt8], mode: CredentialMode)
    /// Opens the phone-held credential for a box. A PIN counts as a try; answered by `credential`.
    case openCredential([UInt8], pin: HeldSecret?)
    /// Reads the history of the row's password, wherever it is stored; answered by `passwordHistory`.
    case passwordHistory([UInt8])
    /// Adds a note to the history of the row's password; answered by `done`.
    case notePassword([UInt8], PasswordNote)
    /// Returns the secrets that seal one request to a site. The PINs are hashed with this 16-byte salt. Not a try of
    /// the phone's own PIN; answered by `siteUnlocked`.
    case unlockSite([UInt8], salt: [UInt8], pin: HeldSecret?, newPIN: HeldSecret?)
    /// Returns the key that waits for a site, and makes one if none waits; answered by `siteKey`.
    case siteKey
    /// Stores the data that a site gave to the row's key; answered by `done`.
    case keepSite(GrantedSite, as: [UInt8])
    /// Notes that a box of the site (named by its key) has the grant, or no longer has it. No caller awaits the answer.
    case noteSiteBox([UInt8], of: [UInt8], hasGrant: Bool)
    /// Replaces the old grant with one that the site issued again. No caller waits for the answer.
    case keepSiteGrant([UInt8], of: [UInt8], inPlaceOf: [UInt8])
    /// Stores the news that a box sent about a site.
    case keepSiteNews(SiteNews)
    /// Stores the site's revocation of the grant; the stored data is no longer used.
    case stopSite([UInt8], entry: [UInt8])
}

/// The answers of the phone's vault.
public indirect enum PhoneVaultAnswer: Sendable {
    case done
    case box(KnownBox?)
    case secret(HeldSecret?)
    case siteUnlocked(SiteUnlocking)
    /// The row's ID and the private key.
    case siteKey([UInt8], HeldSecret)
    /// With the number of tries left of the phone's own PIN, if it has one.
    case credential(PhoneCredentialOutcome, triesLeft: Int?)
    case passwordHistory(PasswordHistory)
    case failed(VaultError)
}
