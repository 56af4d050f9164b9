import PhoneMessages

/// The machine's rules for a request, apart from its answer.
struct RequestTraits: OptionSet {
    let rawValue: UInt8

    /// The phone only watches, so a guest's place may end at this request (`ChannelPlaces`).
    static let onlyWatches = RequestTraits(rawValue: 1)
    /// The user pressed a button, so the user is at the box. The signal does not matter.
    static let provesPresence = RequestTraits(rawValue: 2)
    /// A phone of another account may ask for it, too: to protect its sessions, or to be answered.
    static let isOpenToOthers = RequestTraits(rawValue: 4)
}

extension PhoneRequest {
    /// The traits of each request. The compiler asks for those of a new one.
    var traits: RequestTraits {
        switch self {
        case .login, .loginWithPIN, .siteLogin, .elevate, .elevateWithPIN, .siteElevate, .unlock: .provesPresence
        case .lock, .logout, .cancelLogin, .ping, .hello, .enrol, .reveal, .enrolment, .carry: .isOpenToOthers
        case .status, .reportSignal, .siteNews: [.onlyWatches, .isOpenToOthers]
        case .storeCredential, .changePIN, .siteAsk, .setAutoLogout, .setThresholds, .extend, .declineElevation: []
        }
    }
}
