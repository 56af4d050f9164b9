/// The digits that phone and administrator compare, shown alike on both sides.
public enum SixDigits {
    /// `123 456`: easier to compare.
    public static func spaced(_ digits: String) -> String {
        digits.count == 6 ? digits.prefix(3) + " " + digits.dropFirst(3) : digits
    }
}
