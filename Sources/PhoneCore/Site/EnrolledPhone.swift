#if !hasFeature(Embedded)
    import Names
    import SiteTrust

    /// Another phone of the user that was enrolled by a login at a box, according to the site
    /// (docs/decisions/043-enrolment-at-a-site.md).
    public struct EnrolledPhone: Sendable, Equatable {
        /// The first eight letters of the phone's id.
        public let id: String
        /// The box of the enrolment, six digits.
        public let boxID: String
        /// Seconds since 1970.
        public let time: UInt64

        private init(_ notice: EnrolmentNotice) {
            id = CrockfordBase32.text(notice.device)
            boxID = String(bytes: notice.boxID)
            time = notice.time
        }

        /// Returns the phones that the notices in `entries` name, oldest first, without this phone.
        static func all(in entries: [[UInt8]], but own: SiteAccess) -> [EnrolledPhone] {
            let device = own.site.pin.site.deviceID(ofPhone: own.known.phoneKey)
            var found: [EnrolledPhone] = []
            for entry in entries {
                // The entry was verified before it was stored.
                guard let claimed = try? ClaimedRevocation(parsing: entry),
                    case .enrolment(let notice) = claimed.facts.subject, !device.starts(with: notice.device)
                else { continue }
                found.append(EnrolledPhone(notice))
            }
            return found.sorted { ($0.time, $0.id) < ($1.time, $1.id) }
        }
    }
#endif
