import SiteControl

/// One page of a long list.
public struct ListPage<Row: Sendable>: Sendable {
    public let rows: [Row]
    /// Counted from 1.
    public let number: Int
    public let pages: Int
    public let total: Int

    /// Takes page `number` of `all`, or the nearest existing page.
    public init(_ all: [Row], number: Int) {
        total = all.count
        pages = max(1, (all.count + PageLimits.rowsPerPage - 1) / PageLimits.rowsPerPage)
        self.number = min(max(1, number), pages)
        rows = Array(all.dropFirst((self.number - 1) * PageLimits.rowsPerPage).prefix(PageLimits.rowsPerPage))
    }
}

/// A filter on the list of boxes.
public struct BoxFilter: Equatable, Sendable {
    public enum State: String, CaseIterable, Sendable {
        case all, linked, away, invited, suspended, removed
    }

    public let text: String
    public let state: State

    public init(text: String, state: String) {
        self.text = PageText.search(text)
        self.state = State(rawValue: state) ?? .all
    }

    /// The request to boxsited.
    public var wish: ListWish {
        var wish = ListWish(.boxes)
        wish.search = text
        wish.state = state == .all ? nil : state.rawValue
        return wish
    }
}

public enum PageText {
    /// Returns the text to search for, without control characters and cut to `PageLimits.searchBytes`.
    public static func search(_ text: String) -> String {
        var kept = text[...]
        while kept.utf8.count > PageLimits.searchBytes { kept.removeLast() }
        return String(String.UnicodeScalarView(kept.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }

    /// Reads group numbers that are separated by commas or spaces. Returns group 1 for an empty text. Returns nil for
    /// more than 8 numbers, or one that is not from 1 to 65535.
    public static func groups(_ text: String) -> [UInt16]? {
        let words = text.split { $0 == "," || $0.isWhitespace }
        guard words.count <= 8 else { return nil }
        var groups: Set<UInt16> = []
        for word in words {
            guard let group = UInt16(word), group > 0 else { return nil }
            groups.insert(group)
        }
        return groups.isEmpty ? [1] : groups.sorted()
    }

    public static func text(of groups: [UInt16]) -> String { groups.map { "\($0)" }.joined(separator: ", ") }

    /// Returns a decimal number within the bounds.
    public static func number(_ text: String, _ bounds: ClosedRange<UInt64>) -> UInt64? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(text) else { return nil }
        return bounds.contains(number) ? number : nil
    }
}
