import VaultPort

extension ConfigurationKey {
    /// Every key, in the order of the commented file.
    static let all: [ConfigurationKey] = places + logins + phones + sessionKeys + presenceKeys + bounds + monitoring

    // The address of a Unix socket holds 107 bytes (unix(7), sun_path), and file names are added to these directories.
    private static let places: [ConfigurationKey] = [
        .text(
            "box", "id", .boxID, \.box.id,
            """
            The number of this box: four to six digits, such as those on its label. Boxes within radio range of each \
            other must have different numbers. Empty: the first start chooses four digits. A phone that is already \
            enrolled finds the new number when it scans (boxphone scan).
            """),
        .path(
            "box", "state_directory", limitBytes: 1_024, \.box.stateDirectory,
            "The directory of the vault: keys, enrolled phones and the audit log. Only the agent's user may read it."),
        .path(
            "box", "runtime_directory", limitBytes: 90, \.box.runtimeDirectory,
            "The directory of the sockets pam.sock and control.sock, unless systemd provides them."),
        .path(
            "box", "issue_file", optional: true, limitBytes: 1_024, \.box.issueFile,
            """
            The file from which agetty's greeting takes the box ID. The agent writes it only if it exists and the \
            agent's user may write to it; systemd-tmpfiles creates it. Empty: none.
            """),
        .choice(
            "radio", "kind", \.radio.kind,
            """
            How phones reach the box. "auto" and "bluez" both mean Bluetooth LE through BlueZ's bluetoothd, as soon \
            as there is an adapter. "loopback" is a radio inside this machine, for trials and tests.
            """),
        .path(
            "radio", "air_directory", optional: true, limitBytes: 80, \.radio.airDirectory,
            "For the loopback radio: the directory where boxes and phones meet. Empty: the directory air in the runtime directory."
        ),
        .text(
            "radio", "adapter", .adapter, \.radio.adapter,
            "For Bluetooth: the adapter, such as hci0. Empty: the first that is powered."),
        .flag(
            "radio", "require_link_encryption", \.radio.requireLinkEncryption, reloadable: false,
            """
            For Bluetooth: if true, phones must also pair with the box, which they can do during enrolment. All data \
            is encrypted end to end without pairing, and pairing makes phones ask questions of their own.
            """),
        .text(
            "radio", "bus", .busAddress, \.radio.bus,
            "For Bluetooth: the D-Bus of bluetoothd. Only tests need another than the system's."),
    ]

    private static let logins: [ConfigurationKey] = [
        .list(
            "login", "services", .names(limit: 32), \.login.services,
            """
            PAM services that a tap may log in to. A service that is not listed gets no credential. List only \
            programs at which the user sits in front of the machine, never services that are reached over a network.
            """),
        .choice(
            "login", "serve", \.login.serve,
            """
            Which programs a tap logs in to. "seat": programs that the kernel and logind show at a seat of this \
            machine, on the foreground virtual terminal or behind the seat's login screen. "own", for trials: all \
            programs of the user that runs boxagentd, and no others; refused if systemd provides the sockets.
            """),
        .list(
            "login", "serial_consoles", .serialConsoles(limit: 16), \.login.serialConsoles,
            """
            Device names of serial lines at which users log in by a tap. Anyone who can reach such a line from \
            elsewhere can log in as the next user who taps.
            """),
        .integer(
            "login", "hold_seconds", 1...30, \.login.holdSeconds,
            "How long a tap waits for a program that asks for it, in seconds. A tap serves one program."),
        .integer(
            "login", "longest_wait_seconds", 0...300, \.login.longestWaitSeconds,
            "The longest time that a program may wait for a tap (the PAM module's wait=), in seconds."),
        .integer(
            "login", "verdict_seconds", 5...600, \.login.verdictSeconds,
            """
            How long PAM may be silent after it was given a credential, in seconds. Then the phone is told \
            "unknown".
            """
        ),
        .list(
            "login", "greeter_users", .users(limit: 16), \.login.greeterUsers,
            """
            Users whose greeters may show the box ID, the state of the radio and the name of the user who tapped, \
            and may start a login with that tap. Greeters are given no credential. Root always may.
            """),
        .list(
            "elevation", "services", .names(limit: 32), \.elevation.services,
            """
            PAM services, such as sudo and polkit-1, for which users may allow the use of their password on the \
            phone, one request at a time. Empty: none. Each service needs a line in /etc/pam.d: \
            /usr/share/doc/boxagent/how-to/sudo-and-polkit.md.
            """),
        .integer(
            "elevation", "wait_seconds", 5...30, \.elevation.waitSeconds,
            "How long the phone shows such a request, in seconds. Then the program asks for the password itself."),
        .integer(
            "enrolment", "code_minutes", 1...60, \.enrolment.codeMinutes,
            "How long an enrolment code is valid, in minutes. The code works once."),
        .integer(
            "enrolment", "attempts_per_second", 1...100, \.enrolment.attemptsPerSecond,
            """
            How many wrong codes are checked in a second from one connection. Further ones wait, and many more are \
            dropped. They never close the enrolment, and they delay no other connection.
            """),
        .integer(
            "enrolment", "minimum_uid", 0...2_147_483_647, \.enrolment.minimumUserID,
            "Users with a smaller user ID are system users."),
        .flag(
            "enrolment", "allow_system_users", \.enrolment.allowSystemUsers,
            "If true, phones may be enrolled for root and other system users."),
        .flag(
            "enrolment", "require_known_user", \.enrolment.requireKnownUser,
            "If true, phones may be enrolled only for users that this box knows (getent passwd)."),
        .flag(
            "enrolment", "allow_web", \.enrolment.allowWeb,
            """
            If true, web pages may be enrolled as phones ('boxagent enrol --web'); see \
            /usr/share/doc/boxagent/how-to/host-the-web-phone.md.
            """),
        .text(
            "enrolment", "web_page", .webPage, \.enrolment.webPage, reloadable: true,
            """
            The address of that page: "https://" and at most 200 bytes in all. 'boxagent enrol --web' shows a code \
            that opens it. Empty: no such code is shown.
            """),
    ]

    private static let phones: [ConfigurationKey] = [
        .integer(
            "pin", "attempts", AttemptPolicy.limits, \.pin.attempts,
            """
            How many wrong PINs in a row destroy a credential that the box holds. A lower number leaves every user \
            at least one try; a higher one adds at most the difference. A phone with a PIN of its own counts those \
            tries itself.
            """),
        .flag(
            "pin", "delays", \.pin.delays,
            """
            If true, wrong PINs also cost time: none after the first to the fourth, then 1, 5, 15, 15 and 60 \
            minutes. In either case, the last of pin.attempts destroys the credential: with 5 or fewer there is \
            never a wait.
            """),
        .integer(
            "pin", "hash_milliseconds", 50...5000, \.pin.hashMilliseconds, reloadable: false,
            """
            How long one PIN attempt should take on this box, in milliseconds (Argon2id, measured when the vault is \
            created). The cost is never below 32 MiB and 3 passes.
            """),
    ]

    private static let sessionKeys: [ConfigurationKey] = [
        .list(
            "sessions", "lock_command", .command, \.sessions.lockCommand,
            """
            Empty: logind locks sessions. Otherwise: the absolute path of the program that locks a session, and its \
            arguments, without a shell. {user}, {session} and {tty} are filled in. Exit status 0 means success. \
            {session} is empty if logind does not confirm the session's user.
            """),
        .list(
            "sessions", "unlock_command", .command, \.sessions.unlockCommand,
            "The program that unlocks a session, in the same form."),
        .list(
            "sessions", "logout_command", .command, \.sessions.logoutCommand,
            "The program that ends a session, in the same form."),
        .integer(
            "sessions", "command_seconds", 1...120, \.sessions.commandSeconds,
            "How long one of these programs may run before it is ended, in seconds."),
        .text(
            "sessions", "bus", .busAddress, \.sessions.bus,
            "The D-Bus of logind. Only tests need another than the system's."),
        .integer(
            "auto_logout", "default_seconds", 0...604_800, \.autoLogout.defaultSeconds,
            "Seconds to the automatic logout for users who have not chosen a time; 0 is never."),
        .integer(
            "auto_logout", "minimum_seconds", 10...604_800, \.autoLogout.minimumSeconds,
            "The shortest time that users may choose on the phone, in seconds."),
        .integer(
            "auto_logout", "maximum_seconds", 10...604_800, \.autoLogout.maximumSeconds,
            "The longest time that users may choose on the phone, in seconds."),
        .flag(
            "auto_logout", "may_be_off", \.autoLogout.mayBeOff,
            "If true, users may switch the automatic logout off."),
        .integer(
            "auto_logout", "idle_seconds", 0...604_800, \.autoLogout.idleSeconds,
            """
            How long a session may be without keyboard and mouse input before it is logged out, in seconds; 0 is \
            unlimited. A tap on the phone after the warning counts as input. On a text console, logind notices \
            idleness after five minutes.
            """),
        .integer(
            "auto_logout", "longest_seconds", 0...604_800, \.autoLogout.longestSeconds,
            "How long a session may last, in seconds; 0 is unlimited."),
        .list(
            "auto_logout", "closing_times", .timesOfDay(limit: 8), \.autoLogout.closingTimes,
            "Times of day (local) at which sessions of phones are logged out."),
        .integer(
            "auto_logout", "extension_seconds", 60...28_800, \.autoLogout.extensionSeconds,
            "How long a tap after the warning postpones the end by longest_seconds or closing_times, in seconds."),
        .integer(
            "auto_logout", "extension_limit", 0...100, \.autoLogout.extensionLimit,
            "How often the end of one session may be postponed."),
    ]

    private static let presenceKeys: [ConfigurationKey] = [
        .flag(
            "presence", "enabled", \.presence.enabled,
            """
            If true, a phone that leaves locks the sessions that it logged in, and a phone that returns may offer a \
            tap. Only then are phones asked for reports of their signal. A connected phone learns of a change with \
            its next channel, within the hour.
            """),
        .integer(
            "presence", "near_dbm", -90 ... -30, \.presence.nearDBm,
            """
            The averaged signal strength, in dBm, at or above which a phone counts as near. A near phone offers one \
            tap; nothing happens by itself. At least 10 above far_dbm.
            """),
        .integer(
            "presence", "far_dbm", -100 ... -40, \.presence.farDBm,
            "The averaged signal strength, in dBm, below which a phone counts as away. At 5 dB more, it is back."),
        .integer(
            "presence", "weak_seconds", 1...120, \.presence.weakSeconds,
            "How long the signal must be below far_dbm before the phone is away, in seconds."),
        .integer(
            "presence", "lost_seconds", 5...600, \.presence.lostSeconds,
            "How long the link, or the phone's reports, must be missing before the phone is away, in seconds."),
        .integer(
            "presence", "near_seconds", 0...60, \.presence.nearSeconds,
            "How long the signal must be at near_dbm or above before the phone makes its offer, in seconds."),
        .flag(
            "presence", "require_phone", \.presence.requirePhone,
            """
            If true, sessions are also locked if their phone has never reported its signal, as soon as it has had no \
            link for lost_seconds. If false, a phone that only taps and then disconnects is not missed.
            """),
        .flag(
            "presence", "may_calibrate", \.presence.mayCalibrate,
            """
            If true, a phone may replace near_dbm and far_dbm for itself with the values that 'boxphone calibrate' \
            measured.
            """),
        .choice(
            "presence", "on_lock_failure", \.presence.onLockFailure, reloadable: true,
            """
            The policy for a session that does not lock when its phone leaves: "report" writes it to the log and \
            leaves it to the automatic logout; "terminate" ends it at once.
            """),
    ]

    private static let bounds: [ConfigurationKey] = [
        .integer(
            "limits", "half_open_links", 1...64, \.limits.halfOpenLinks,
            "Links whose phone has not yet proved its identity. One more closes the oldest."),
        .integer(
            "limits", "links", 1...512, \.limits.links,
            """
            Links in total. At this number, the box stops advertising. As many as half_open_links, and 4, are kept for \
            phones that come: of more phones that watch, one gives way.
            """),
        .integer(
            "limits", "pam_clients", 1...256, \.limits.pamClients,
            "Programs that may be connected to pam.sock at once."),
        .integer(
            "limits", "control_clients", 1...256, \.limits.controlClients,
            """
            Commands of ordinary users that may be connected to control.sock at once; at most half of them from one \
            user. Root has as many places of its own, and so have the greeters of login.greeter_users.
            """),
    ]
    private static let monitoring: [ConfigurationKey] = [
        .path(
            "metrics", "file", optional: true, limitBytes: 1_024, \.metrics.file,
            """
            The file from which node_exporter's textfile collector reads counts of logins, wrong PINs and errors, \
            without names. Its name must end in .prom. The agent's user replaces it, and so must be able to write to \
            its directory: /usr/share/doc/boxagent/how-to/monitor.md. Empty: off.
            """)
    ]
}
