/// The digits that phone and administrator compare, in the same form on both sides.
public enum SixDigits {
    /// Returns the form `123 456`, which is easier to compare.
    public static func spaced(_ digits: String) -> String {
        digits.count == 6 ? digits.prefix(3) + " " + digits.dropFirst(3) : digits
    }
}
