import CFuzzer

/// The function that libFuzzer calls with each input.
typealias FuzzEntry = @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32

/// `boxagent-fuzz TARGET [libFuzzer's options and corpus folders]`. Without a target, the program lists the targets.
@main
enum FuzzMain {
    static let targets: [(name: String, entry: FuzzEntry)] = [
        ("cbor", CBORFuzz.entry),
        ("phone-request", PhoneRequestFuzz.entry),
        ("box-message", BoxMessageFuzz.entry),
        ("identity", IdentityFuzz.entry),
        ("enrolment-uri", EnrolmentURIFuzz.entry),
        ("segments", SegmentsFuzz.entry),
        ("segments-bearers", BearerSegmentsFuzz.entry),
        ("acknowledging-peer", AcknowledgingPeerFuzz.entry),
        ("attribute-pdu", AttributePDUFuzz.entry),
        ("channel-pdu", ChannelPDUFuzz.entry),
        ("login-verdict", LoginVerdictFuzz.entry),
        ("login-rendezvous", LoginRendezvousFuzz.entry),
        ("link-admission", LinkAdmissionFuzz.entry),
        ("enrolment-desk", EnrolmentDeskFuzz.entry),
        ("elevation", ElevationFuzz.entry),
        ("presence", PresenceFuzz.entry),
        ("logout-schedule", LogoutScheduleFuzz.entry),
        ("dbus-message", DBusMessageFuzz.entry),
        ("handshake-message-1", HandshakeMessage1Fuzz.entry),
        ("handshake-message-2", HandshakeMessage2Fuzz.entry),
        ("channel", ChannelFuzz.entry),
        ("pam-request", PAMRequestFuzz.entry),
        ("pam-reply", PAMReplyFuzz.entry),
        ("control-request", ControlRequestFuzz.entry),
        ("control-reply", ControlReplyFuzz.entry),
        ("greetd-reply", GreetdReplyFuzz.entry),
        ("audit-export", AuditExportFuzz.entry),
        ("site-audit-export", SiteAuditExportFuzz.entry),
        ("phone-abi", PhoneABIFuzz.entry),
        ("site-trust", SiteTrustFuzz.entry),
        ("site-link", SiteLinkFuzz.entry),
    ]

    static func main() {
        guard CommandLine.argc >= 2, let target = targets.first(where: { $0.name == CommandLine.arguments[1] }) else {
            print(targets.map(\.name).joined(separator: "\n"))
            return
        }
        // libFuzzer reads its own options from the second argument on.
        var argc = CommandLine.argc - 1
        var argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
        _ = LLVMFuzzerRunDriver(&argc, &argv, target.entry)
    }
}

/// Checks a promise of the code. If the input breaks it, the process ends and libFuzzer keeps the input.
func promise(_ holds: Bool, _ what: StaticString) {
    guard !holds else { return }
    what.withUTF8Buffer { text in
        // SAFETY: a StaticString ends with a NUL.
        fuzz_promise_broken(UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self))
    }
}

/// Returns the input as an array. A parser that reads beyond the array's end traps.
func input(_ data: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    // SAFETY: libFuzzer's pointer is to `count` bytes, or null for none.
    [UInt8](UnsafeBufferPointer(start: data, count: count))
}
