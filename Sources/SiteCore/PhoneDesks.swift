/// What boxes want for phones.
struct PhoneDesks: Sendable {
    var renewals = RenewalDesk()
    var carries = CarryDesk()
}
