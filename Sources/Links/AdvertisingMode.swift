/// How often a box advertises: each 20 ms (fast), 152.5 ms (medium) or 1022.5 ms (slow). Apple recommends these
/// intervals for discovery by iPhones.
public enum AdvertisingMode: Sendable, Hashable {
    case off
    case fast
    case medium
    case slow
}
