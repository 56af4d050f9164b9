/// How often a box advertises: each 20 ms, 152.5 ms or 1022.5 ms, as Apple recommends for discovery by iPhones.
public enum AdvertisingMode: Sendable, Hashable {
    case off
    case fast
    case medium
    case slow
}
