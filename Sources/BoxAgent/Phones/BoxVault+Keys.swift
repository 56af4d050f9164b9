import AgentCore
import Secrets
import SecureChannel
import Vault
import VaultPort

extension BoxVault {
    /// Makes the box's keys with a certificate by its own authority and the site's certificate, if there is one.
    func boxKeys(siteCertificate: [UInt8]? = nil) throws(VaultError) -> BoxKeys {
        let boxID = boxID
        return try withKeys { (staticKey, authority, serial) throws(VaultError) in
            do throws(CertificateError) {
                return try BoxKeys(
                    staticKey: staticKey, authority: authority, boxID: boxID, serial: serial,
                    siteCertificate: siteCertificate)
            } catch {
                throw .invalid(what: "no valid certificate can be made with the box's keys (\(error))")
            }
        }
    }
}
