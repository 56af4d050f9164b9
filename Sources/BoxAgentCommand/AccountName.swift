import CommandTool
import ControlProtocol
import TextOutput

/// A user whom a person has named, and the name that the box's user database has for the account.
struct AccountName: Equatable {
    let given: [UInt8]
    let name: [UInt8]
    /// The user database has answered, or was not asked.
    let isAnswered: Bool

    init(given: [UInt8], name: [UInt8], isAnswered: Bool) {
        self.given = given
        self.name = name
        self.isAnswered = isAnswered
    }

    /// As it was typed: nobody has been asked yet.
    init(_ typed: String) {
        self.init(given: Array(typed.utf8), name: Array(typed.utf8), isAnswered: true)
    }

    /// What the box may have written down for the user.
    var spellings: [[UInt8]] { name == given ? [name] : [name, given] }

    /// The spellings that these devices have.
    func spellings(of devices: [DeviceListing]) -> [[UInt8]] {
        spellings.filter { spelling in devices.contains { $0.user == spelling } }
    }

    /// Says that nobody knows whether the name has other spellings.
    var doubt: String {
        isAnswered ? "" : " (the user database did not answer, so only this spelling was compared)"
    }
}

extension Conversation {
    /// Asks the agent, and says it where the account has another name than the one given. `renaming`: phones that are stored
    /// under other spellings are renamed before, because the command chooses phones.
    mutating func account(of given: [UInt8], renaming: Bool = false, _ terminal: Terminal) -> AccountName {
        var account = AccountName(given: given, name: given, isAnswered: true)
        do {
            _ = try ask(.account(user: given, renaming: renaming)) { reply in
                guard case .account(let name, let isAnswered) = reply else { return }
                account = AccountName(given: given, name: name, isAnswered: isAnswered)
            }
        } catch {
            // Whoever does not administer the box may not ask: the request that follows says what is wrong.
        }
        if account.name != given {
            terminal.say("\(Printable.text(given)) is \(Printable.text(account.name)) on this box", to: .error)
        }
        return account
    }
}
