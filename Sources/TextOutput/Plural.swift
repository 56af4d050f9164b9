/// A number and its noun: `1 phone`, `2 phones`, `3 tries`.
public enum Plural {
    /// `many` is what `one` becomes where an s does not do.
    public static func text(_ count: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
        "\(count) " + (count == 1 ? one : many ?? one + "s")
    }
}
