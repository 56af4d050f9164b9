/// A number with its noun: `1 phone`, `2 phones`, `3 tries`.
public enum Plural {
    /// `many` is the plural if it is not `one` with an s.
    public static func text(_ count: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
        "\(count) " + (count == 1 ? one : many ?? one + "s")
    }
}
