import VaultPort

extension ConfigurationKey {
    /// Every key, in the order of the commented file.
    static let all: [ConfigurationKey] = places + logins + phones + sessionKeys + presenceKeys + bounds + monitoring

    // The address of a Unix socket holds 107 bytes (unix(7), sun_path), and names come behind these directories.
    private static let places: [ConfigurationKey] = [
        .text(
            "box", "id", .boxID, \.box.id,
            """
            The box's digits, four to six, such as those on its label; no two boxes in reach of each other should have the \
            same. Empty: four that are drawn at the first start. Phones that are enrolled already find a box with new digits \
            once they look around (boxphone scan).
            """),
        .path(
            "box", "state_directory", limitBytes: 1_024, \.box.stateDirectory,
            "Where the vault is kept: keys, enrolled phones, the audit log. Only the agent's user may read it."),
        .path(
            "box", "runtime_directory", limitBytes: 90, \.box.runtimeDirectory,
            "Where the sockets pam.sock and control.sock are, unless systemd hands them over."),
        .path(
            "box", "issue_file", optional: true, limitBytes: 1_024, \.box.issueFile,
            """
            The file in which agetty's greeting finds the box ID. It is written only where it exists and the agent's \
            user may write to it; systemd-tmpfiles makes it. Empty: none.
            """),
        .choice(
            "radio", "kind", \.radio.kind,
            """
            How phones reach the box. "auto" is Bluetooth LE by bluetoothd of BlueZ, as soon as there is an adapter, and \
            "bluez" the same; "loopback" is a radio inside this machine, for trials and tests.
            """),
        .path(
            "radio", "air_directory", optional: true, limitBytes: 80, \.radio.airDirectory,
            "For the loopback radio: the directory where boxes and phones meet. Empty: air in the runtime directory."),
        .text(
            "radio", "adapter", .adapter, \.radio.adapter,
            "For Bluetooth: the adapter, such as hci0. Empty: the first that is powered."),
        .flag(
            "radio", "require_link_encryption", \.radio.requireLinkEncryption, reloadable: false,
            """
            For Bluetooth: whether phones must also pair with the box, which they can while they are enrolled. \
            Everything is encrypted end to end without it; pairing makes phones show questions of their own.
            """),
        .text(
            "radio", "bus", .busAddress, \.radio.bus,
            "For Bluetooth: the D-Bus that bluetoothd is on. Only tests need another than the system's."),
    ]

    private static let logins: [ConfigurationKey] = [
        .list(
            "login", "services", .names(limit: 32), \.login.services,
            """
            PAM services that a tap may log in to. A service that is not named here gets no credential. Name only \
            programs at which a person sits: services reached over a network do not belong here.
            """),
        .choice(
            "login", "serve", \.login.serve,
            """
            Which programs a tap logs in to. "seat": those that the kernel and logind show at a seat of this machine, on \
            the virtual terminal in the foreground or behind the seat's login screen. "own" is for trials: all programs \
            of the user that boxagentd runs as, and no others; refused where systemd hands over the sockets.
            """),
        .list(
            "login", "serial_consoles", .serialConsoles(limit: 16), \.login.serialConsoles,
            """
            Serial lines at which people log in by a tap, by the names of their devices. Who can reach such a line from \
            elsewhere can log in as whoever taps next.
            """),
        .integer(
            "login", "hold_seconds", 1...30, \.login.holdSeconds,
            "How long a tap is kept for a program that asks for it, in seconds; it serves once."),
        .integer(
            "login", "longest_wait_seconds", 0...300, \.login.longestWaitSeconds,
            "The longest a program may wait for a tap (the PAM module's wait=), in seconds."),
        .integer(
            "login", "verdict_seconds", 5...600, \.login.verdictSeconds,
            "How long PAM may be silent after a credential was delivered before the phone hears \"unknown\", in seconds."
        ),
        .list(
            "login", "greeter_users", .users(limit: 16), \.login.greeterUsers,
            """
            Users whose greeters may show the box ID, the state of the radio and the name of the person who tapped, and \
            may take such a tap to start a login. They are given no credential. Root always may.
            """),
        .list(
            "elevation", "services", .names(limit: 32), \.elevation.services,
            """
            PAM services, such as sudo and polkit-1, for which a person may allow the use of their password on the phone, \
            each time anew. Empty: none. Each needs a line in /etc/pam.d: docs/elevation.md.
            """),
        .integer(
            "elevation", "wait_seconds", 5...30, \.elevation.waitSeconds,
            "How long the phone shows such a request, in seconds; then the program asks for the password itself."),
        .integer(
            "enrolment", "code_minutes", 1...60, \.enrolment.codeMinutes,
            "How long an enrolment code can be used, in minutes; it works once."),
        .integer(
            "enrolment", "attempts_per_second", 1...100, \.enrolment.attemptsPerSecond,
            """
            How many wrong codes a second are looked at from one connection; more wait, and many more are dropped. They \
            never close the enrolment, and delay no other connection.
            """),
        .integer(
            "enrolment", "minimum_uid", 0...2_147_483_647, \.enrolment.minimumUserID,
            "Users with a smaller number than this are system users."),
        .flag(
            "enrolment", "allow_system_users", \.enrolment.allowSystemUsers,
            "Whether phones may be enrolled for root and other system users."),
        .flag(
            "enrolment", "require_known_user", \.enrolment.requireKnownUser,
            "Whether phones are enrolled only for users whom this box knows (getent passwd)."),
        .flag(
            "enrolment", "allow_web", \.enrolment.allowWeb,
            "Whether pages in a browser may be enrolled as phones ('boxagent enrol --web'); see docs/web-phone.md."),
        .text(
            "enrolment", "web_page", .webPage, \.enrolment.webPage, reloadable: true,
            """
            Where that page is, "https://" and at most 200 bytes in all. 'boxagent enrol --web' shows a code that opens it. \
            Empty: none is shown.
            """),
    ]

    private static let phones: [ConfigurationKey] = [
        .integer(
            "pin", "attempts", AttemptPolicy.limits, \.pin.attempts,
            """
            How many wrong PINs in a row destroy a credential that the box holds. A lowered number leaves everybody one \
            try at least; a raised one adds no more than the difference. A phone counts tries of a PIN of its own by itself.
            """),
        .flag(
            "pin", "delays", \.pin.delays,
            """
            Whether wrong PINs also cost time: none after the first to the fourth, then 1, 5, 15, 15 and 60 minutes. \
            With or without, the last of pin.attempts destroys the credential: with 5 or fewer nobody ever waits.
            """),
        .integer(
            "pin", "hash_milliseconds", 50...5000, \.pin.hashMilliseconds, reloadable: false,
            """
            How long one try of a PIN shall take on this box, in milliseconds (Argon2id, measured when the vault is \
            made). Never less work than 32 MiB in 3 passes.
            """),
    ]

    private static let sessionKeys: [ConfigurationKey] = [
        .list(
            "sessions", "lock_command", .command, \.sessions.lockCommand,
            """
            Empty: logind locks sessions. Else the program that does, by its absolute path, and its arguments, \
            without a shell. {user}, {session} and {tty} are filled in; exit status 0 means done. {session} is empty where \
            logind does not confirm whose session it is.
            """),
        .list(
            "sessions", "unlock_command", .command, \.sessions.unlockCommand,
            "The program that unlocks a session, written in the same way."),
        .list(
            "sessions", "logout_command", .command, \.sessions.logoutCommand,
            "The program that ends a session, written in the same way."),
        .integer(
            "sessions", "command_seconds", 1...120, \.sessions.commandSeconds,
            "How long one of these programs may run before it is ended, in seconds."),
        .text(
            "sessions", "bus", .busAddress, \.sessions.bus,
            "The D-Bus that logind is on. Only tests need another than the system's."),
        .integer(
            "auto_logout", "default_seconds", 0...604_800, \.autoLogout.defaultSeconds,
            "After how long people who have chosen nothing are logged out, in seconds; 0 is never."),
        .integer(
            "auto_logout", "minimum_seconds", 10...604_800, \.autoLogout.minimumSeconds,
            "The shortest time that people may choose on the phone, in seconds."),
        .integer(
            "auto_logout", "maximum_seconds", 10...604_800, \.autoLogout.maximumSeconds,
            "The longest time that people may choose on the phone, in seconds."),
        .flag(
            "auto_logout", "may_be_off", \.autoLogout.mayBeOff,
            "Whether people may switch the automatic logout off."),
        .integer(
            "auto_logout", "idle_seconds", 0...604_800, \.autoLogout.idleSeconds,
            """
            After how long without keyboard and mouse a session is logged out, in seconds; 0 is never. A tap on \
            the phone after the warning counts as they do. On a text console logind notices idleness after five minutes.
            """),
        .integer(
            "auto_logout", "longest_seconds", 0...604_800, \.autoLogout.longestSeconds,
            "How long a session may last, in seconds; 0 is without end."),
        .list(
            "auto_logout", "closing_times", .timesOfDay(limit: 8), \.autoLogout.closingTimes,
            "Local times of day at which every session is logged out."),
        .integer(
            "auto_logout", "extension_seconds", 60...28_800, \.autoLogout.extensionSeconds,
            "How long a tap after the warning puts off the end by longest_seconds or closing_times, in seconds."),
        .integer(
            "auto_logout", "extension_limit", 0...100, \.autoLogout.extensionLimit,
            "How often the end of one session may be put off."),
    ]

    private static let presenceKeys: [ConfigurationKey] = [
        .flag(
            "presence", "enabled", \.presence.enabled,
            """
            Whether a phone that goes locks the sessions it logged in, and one that comes may offer a tap. What a phone \
            reports of its signal is asked for only then; a phone that is connected learns of a change with its next \
            channel, within the hour.
            """),
        .integer(
            "presence", "near_dbm", -90 ... -30, \.presence.nearDBm,
            """
            From which signal strength on a phone counts as near, in dBm, averaged. Near makes the phone offer one tap \
            and does nothing by itself. At least 10 above far_dbm.
            """),
        .integer(
            "presence", "far_dbm", -100 ... -40, \.presence.farDBm,
            "Under which signal strength a phone counts as away, in dBm, averaged; it is back 5 dB above."),
        .integer(
            "presence", "weak_seconds", 1...120, \.presence.weakSeconds,
            "How long the signal has to be under far_dbm before the phone is away, in seconds."),
        .integer(
            "presence", "lost_seconds", 5...600, \.presence.lostSeconds,
            "How long the link, or the phone's reports, have to be missing before the phone is away, in seconds."),
        .integer(
            "presence", "near_seconds", 0...60, \.presence.nearSeconds,
            "How long the signal has to be at near_dbm or above before the phone makes its offer, in seconds."),
        .flag(
            "presence", "require_phone", \.presence.requirePhone,
            """
            Whether sessions are locked, too, whose phone has never reported its signal, as soon as it has had no link \
            for lost_seconds. Without, a phone that only taps and then disconnects is not missed.
            """),
        .flag(
            "presence", "may_calibrate", \.presence.mayCalibrate,
            "Whether a phone may replace near_dbm and far_dbm for itself, by what 'boxphone calibrate' measured."),
        .choice(
            "presence", "on_lock_failure", \.presence.onLockFailure, reloadable: true,
            """
            What happens to a session that does not lock when its phone goes: "report" writes it to the log and leaves \
            it to the automatic logout; "terminate" ends it at once.
            """),
    ]

    private static let bounds: [ConfigurationKey] = [
        .integer(
            "limits", "half_open_links", 1...64, \.limits.halfOpenLinks,
            "Links whose phone has not proved who it is; when one more comes, the oldest gives way."),
        .integer(
            "limits", "links", 1...512, \.limits.links,
            "Links in all; while there are as many, the box does not advertise."),
        .integer(
            "limits", "pam_clients", 1...256, \.limits.pamClients,
            "Programs that may be connected to pam.sock at once."),
        .integer(
            "limits", "control_clients", 1...256, \.limits.controlClients,
            """
            Commands of ordinary users that may be connected to control.sock at once; at most half of them from one user. \
            Root has as many places of its own, and so have the greeters of login.greeter_users.
            """),
    ]
    private static let monitoring: [ConfigurationKey] = [
        .path(
            "metrics", "file", optional: true, limitBytes: 1_024, \.metrics.file,
            """
            The file in which node_exporter's textfile collector finds counts of logins, wrong PINs and errors, without \
            names; it has to end in .prom. The agent's user writes it anew, and so its directory: docs/monitoring.md. \
            Empty: off.
            """)
    ]
}
