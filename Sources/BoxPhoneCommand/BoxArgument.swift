import ArgumentParser
import PhoneCore
import PhoneKit

/// Which box a command is for.
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

    /// The one box that is meant, before a secret for it is asked for.
    func chosen(_ target: BoxTarget) async throws(Complaint) -> BoxTarget {
        try await trying { (phone) throws(PhoneError) in try await phone.chosen(target, interaction()) }
    }
}
