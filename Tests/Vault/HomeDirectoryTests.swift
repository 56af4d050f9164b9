import Testing

@testable import Vault

@Suite("Home directories")
struct HomeDirectoryTests {
    @Test("The user's own home, root's, those in /home and /home itself are homes, however they are written")
    func homes() {
        for path in ["/home/anna", "/home/anna/", "//home/./bob", "/root", "/home", "/srv/people/anna"] {
            #expect(HomeDirectory.isOne(path, home: "/srv/people/anna/"), "\(path)")
        }
    }

    @Test("What lies in a home, or elsewhere, is none")
    func others() {
        for path in ["/home/anna/.local", "/root/x", "/var/lib/boxagent", "/", "home/anna", "root", "/srv/people"] {
            #expect(!HomeDirectory.isOne(path, home: "/srv/people/anna"), "\(path)")
        }
        #expect(!HomeDirectory.isOne("/srv/people/anna", home: nil))
        #expect(!HomeDirectory.isOne("/var/lib/boxagent", home: "/var/lib/boxagent"), "a service's")
    }

    @Test("Nobody is told to change the mode of one")
    func refusals() {
        let cures = ["/home/anna": "choose a separate directory", "/home/anna/state": "choose another place"]
        for (path, cure) in cures {
            let said = HomeDirectory.refusal(of: "/home/anna", for: path).description
            #expect(!said.contains("chmod") && said.contains(cure), "\(said)")
        }
    }
}
