import Testing
import Wire

/// An example of RFC 8949 appendix A that the profile allows, with its value.
struct Vector: Sendable, CustomTestStringConvertible {
    let hex: String
    let item: Item
    var testDescription: String { hex }

    init(_ hex: String, _ item: Item) {
        self.hex = hex
        self.item = item
    }
}

/// An example of RFC 8949 appendix A that the profile refuses, and the expected error.
struct Refused: Sendable, CustomTestStringConvertible {
    let hex: String
    let error: WireError
    let value: String
    var testDescription: String { value }

    init(_ hex: String, _ error: WireError, _ value: String) {
        self.hex = hex
        self.error = error
        self.value = value
    }
}

/// The examples of RFC 8949 appendix A within the profile, in the order of the appendix.
///
/// Computed, not stored. The leak checker does not follow a payload whose pointer carries its case's number, and would
/// report a table that lives to the end.
var appendixAccepted: [Vector] {
    [
        Vector("00", .unsigned(0)),
        Vector("01", .unsigned(1)),
        Vector("0a", .unsigned(10)),
        Vector("17", .unsigned(23)),
        Vector("1818", .unsigned(24)),
        Vector("1819", .unsigned(25)),
        Vector("1864", .unsigned(100)),
        Vector("1903e8", .unsigned(1000)),
        Vector("1a000f4240", .unsigned(1_000_000)),
        Vector("1b000000e8d4a51000", .unsigned(1_000_000_000_000)),
        Vector("1bffffffffffffffff", .unsigned(18_446_744_073_709_551_615)),
        Vector("20", .negative(-1)),
        Vector("29", .negative(-10)),
        Vector("3863", .negative(-100)),
        Vector("3903e7", .negative(-1000)),
        Vector("f4", .bool(false)),
        Vector("f5", .bool(true)),
        Vector("f6", .null),
        Vector("40", .bytes([])),
        Vector("4401020304", .bytes([1, 2, 3, 4])),
        Vector("60", .text("")),
        Vector("6161", .text("a")),
        Vector("6449455446", .text("IETF")),
        Vector("62225c", .text("\"\\")),
        Vector("62c3bc", .text("\u{00fc}")),
        Vector("63e6b0b4", .text("\u{6c34}")),
        Vector("64f0908591", .text("\u{10151}")),
        Vector("80", .array([])),
        Vector("83010203", .array([.unsigned(1), .unsigned(2), .unsigned(3)])),
        Vector(
            "8301820203820405",
            .array([.unsigned(1), .array([.unsigned(2), .unsigned(3)]), .array([.unsigned(4), .unsigned(5)])])),
        Vector(
            "98190102030405060708090a0b0c0d0e0f101112131415161718181819",
            .array((1...25).map { .unsigned($0) })),
        Vector("a0", .map([])),
        Vector(
            "a201020304",
            .map([.init(key: .unsigned(1), value: .unsigned(2)), .init(key: .unsigned(3), value: .unsigned(4))])),
        Vector(
            "a26161016162820203",
            .map([
                .init(key: .text("a"), value: .unsigned(1)),
                .init(key: .text("b"), value: .array([.unsigned(2), .unsigned(3)])),
            ])),
        Vector("826161a161626163", .array([.text("a"), .map([.init(key: .text("b"), value: .text("c"))])])),
        Vector(
            "a56161614161626142616361436164614461656145",
            .map(["a", "b", "c", "d", "e"].map { .init(key: .text($0), value: .text($0.uppercased())) })),
    ]
}

/// The other examples: numbers over 64 bits, floats, simple values, tags, indefinite lengths.
let appendixRefused: [Refused] = [
    Refused("c249010000000000000000", .unexpectedType, "18446744073709551616, a bignum"),
    Refused("3bffffffffffffffff", .outOfRange, "-18446744073709551616"),
    Refused("c349010000000000000000", .unexpectedType, "-18446744073709551617, a bignum"),
    Refused("f90000", .unexpectedType, "0.0"),
    Refused("f98000", .unexpectedType, "-0.0"),
    Refused("f93c00", .unexpectedType, "1.0"),
    Refused("fb3ff199999999999a", .unexpectedType, "1.1"),
    Refused("f93e00", .unexpectedType, "1.5"),
    Refused("f97bff", .unexpectedType, "65504.0"),
    Refused("fa47c35000", .unexpectedType, "100000.0"),
    Refused("fa7f7fffff", .unexpectedType, "3.4028234663852886e+38"),
    Refused("fb7e37e43c8800759c", .unexpectedType, "1.0e+300"),
    Refused("f90001", .unexpectedType, "5.960464477539063e-8"),
    Refused("f90400", .unexpectedType, "0.00006103515625"),
    Refused("f9c400", .unexpectedType, "-4.0"),
    Refused("fbc010666666666666", .unexpectedType, "-4.1"),
    Refused("f97c00", .unexpectedType, "Infinity"),
    Refused("f97e00", .unexpectedType, "NaN"),
    Refused("f9fc00", .unexpectedType, "-Infinity"),
    Refused("fa7f800000", .unexpectedType, "Infinity"),
    Refused("fa7fc00000", .unexpectedType, "NaN"),
    Refused("faff800000", .unexpectedType, "-Infinity"),
    Refused("fb7ff0000000000000", .unexpectedType, "Infinity"),
    Refused("fb7ff8000000000000", .unexpectedType, "NaN"),
    Refused("fbfff0000000000000", .unexpectedType, "-Infinity"),
    Refused("f7", .unexpectedType, "undefined"),
    Refused("f0", .unexpectedType, "simple(16)"),
    Refused("f818", .unexpectedType, "simple(24), as it was in RFC 7049"),
    Refused("f8ff", .unexpectedType, "simple(255)"),
    Refused("c074323031332d30332d32315432303a30343a30305a", .unexpectedType, "0(date)"),
    Refused("c11a514b67b0", .unexpectedType, "1(1363896240)"),
    Refused("c1fb41d452d9ec200000", .unexpectedType, "1(1363896240.5)"),
    Refused("d74401020304", .unexpectedType, "23(h'01020304')"),
    Refused("d818456449455446", .unexpectedType, "24(h'6449455446')"),
    Refused("d82076687474703a2f2f7777772e6578616d706c652e636f6d", .unexpectedType, "32(URI)"),
    Refused("5f42010243030405ff", .notDeterministic, "(_ h'0102', h'030405')"),
    Refused("7f657374726561646d696e67ff", .notDeterministic, "(_ strea, ming)"),
    Refused("9fff", .notDeterministic, "[_ ]"),
    Refused("9f018202039f0405ffff", .notDeterministic, "[_ 1, [2, 3], [_ 4, 5]]"),
    Refused("9f01820203820405ff", .notDeterministic, "[_ 1, [2, 3], [4, 5]]"),
    Refused("83018202039f0405ff", .notDeterministic, "[1, [2, 3], [_ 4, 5]]"),
    Refused("83019f0203ff820405", .notDeterministic, "[1, [_ 2, 3], [4, 5]]"),
    Refused("9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff", .notDeterministic, "[_ 1 to 25]"),
    Refused("bf61610161629f0203ffff", .notDeterministic, "{_ a: 1, b: [_ 2, 3]}"),
    Refused("826161bf61626163ff", .notDeterministic, "[a, {_ b: c}]"),
    Refused("bf6346756ef563416d7421ff", .notDeterministic, "{_ Fun: true, Amt: -2}"),
]
