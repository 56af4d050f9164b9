import CommandTool
import ControlProtocol
import TextOutput

/// A user as typed, and the account's name in the box's user database.
struct AccountName: Equatable {
    let given: [UInt8]
    let name: [UInt8]
    /// True if the user database answered or was not asked.
    let isAnswered: Bool

    init(given: [UInt8], name: [UInt8], isAnswered: Bool) {
        self.given = given
        self.name = name
        self.isAnswered = isAnswered
    }

    /// The name as typed, before the user database was asked.
    init(_ typed: String) {
        self.init(given: Array(typed.utf8), name: Array(typed.utf8), isAnswered: true)
    }

    /// The spellings that the box may have stored for the user.
    var spellings: [[UInt8]] { name == given ? [name] : [name, given] }

    /// Returns the spellings that these devices use.
    func spellings(of devices: [DeviceListing]) -> [[UInt8]] {
        spellings.filter { spelling in devices.contains { $0.user == spelling } }
    }

    /// A note for the case that other spellings of the name are unknown.
    var doubt: String {
        isAnswered ? "" : " (the user database did not answer, so only this spelling was compared)"
    }
}

extension Conversation {
    /// Asks the agent for the account, and prints its name if it differs. With `renaming`, the agent first renames
    /// phones that are stored under other spellings, because the command selects phones.
    mutating func account(of given: [UInt8], renaming: Bool = false, _ terminal: Terminal) -> AccountName {
        var account = AccountName(given: given, name: given, isAnswered: true)
        do {
            _ = try ask(.account(user: given, renaming: renaming)) { reply in
                guard case .account(let name, let isAnswered) = reply else { return }
                account = AccountName(given: given, name: name, isAnswered: isAnswered)
            }
        } catch {
            // Only administrators may ask. The request that follows reports the error.
        }
        if account.name != given {
            terminal.say("\(Printable.text(given)) is \(Printable.text(account.name)) on this box", to: .error)
        }
        return account
    }
}
