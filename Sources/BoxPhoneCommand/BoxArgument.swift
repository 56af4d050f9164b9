import ArgumentParser
import PhoneCore
import PhoneKit

/// The box that a command is for.
struct BoxArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            """
            The box: its box ID, or its name in `boxphone boxes`. Not needed if one box is enrolled. A box of a site \
            is named by its six digits.
            """,
            valueName: "BOX"))
    var name: String?
}

extension Program {
    func target(_ box: BoxArgument) async throws(Complaint) -> BoxTarget {
        try await trying { (phone) throws(PhoneError) in try await phone.target(box.name) }
    }

    /// Finds the one box that is meant, before the user types a secret for it.
    func chosen(_ target: BoxTarget) async throws(Complaint) -> BoxTarget {
        try await trying { (phone) throws(PhoneError) in try await phone.chosen(target, interaction()) }
    }
}
