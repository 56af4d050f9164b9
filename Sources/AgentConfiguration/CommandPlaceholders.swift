/// The placeholders that a configured command may have. `Sessions.CommandTemplate` fills them in.
enum CommandPlaceholders {
    /// Returns the first `{…}` or lone brace that is not a placeholder, or nil if there is none.
    static func unknownPlaceholder(in argument: String) -> String? {
        for piece in pieces(of: argument) where piece.isBraced {
            guard ["{user}", "{session}", "{tty}"].contains(piece.text) else { return piece.text }
        }
        return nil
    }

    private struct Piece {
        let text: String
        let isBraced: Bool
    }

    /// Splits the argument into plain and braced pieces. A brace without its partner is a braced piece.
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
