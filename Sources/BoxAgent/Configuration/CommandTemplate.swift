/// An argument vector with the placeholders `{user}`, `{session}` and `{tty}`.
public enum CommandTemplate {
    /// The first `{…}` or lone brace that is not a placeholder; nil when there is none.
    static func unknownPlaceholder(in argument: String) -> String? {
        for piece in pieces(of: argument) where piece.isBraced {
            guard ["{user}", "{session}", "{tty}"].contains(piece.text) else { return piece.text }
        }
        return nil
    }

    /// The arguments with their placeholders filled in. Each value stays inside its argument: nothing is split,
    /// no shell sees it, and what it contains is not looked at for further placeholders.
    public static func fill(
        _ arguments: [String], user: String, session: String, terminal: String
    ) -> [String] {
        arguments.map { argument in
            pieces(of: argument).map { piece in
                switch piece.text {
                case "{user}": user
                case "{session}": session
                case "{tty}": terminal
                default: piece.text
                }
            }.joined()
        }
    }

    private struct Piece {
        let text: String
        let isBraced: Bool
    }

    /// Plain stretches and braced ones by turns; a brace without its partner is a braced piece of its own.
    private static func pieces(of argument: String) -> [Piece] {
        var pieces: [Piece] = []
        var plain = ""
        var braced: String?
        func flush() {
            if !plain.isEmpty { pieces.append(Piece(text: plain, isBraced: false)) }
            plain = ""
        }
        for character in argument {
            switch (character, braced) {
            case ("{", nil):
                flush()
                braced = "{"
            case ("}", .some(let open)):
                pieces.append(Piece(text: open + "}", isBraced: true))
                braced = nil
            case ("}", nil):
                flush()
                pieces.append(Piece(text: "}", isBraced: true))
            case (_, .some(let open)): braced = open + String(character)
            case (_, nil): plain.append(character)
            }
        }
        flush()
        if let braced { pieces.append(Piece(text: braced, isBraced: true)) }
        return pieces
    }
}
