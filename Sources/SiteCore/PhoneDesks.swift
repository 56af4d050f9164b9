/// What boxes ask for the phones that are at them.
struct PhoneDesks: Sendable {
    var renewals = RenewalDesk()
    var held = HeldDesk()
}
