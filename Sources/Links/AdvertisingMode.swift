/// How eagerly a box advertises: 20 ms, 152.5 ms and 1022.5 ms between advertisements, of the intervals that Apple
/// recommends to be found by iPhones.
public enum AdvertisingMode: Sendable, Hashable {
    case off
    case fast
    case medium
    case slow
}
