/// Drop-ins of systemd units that `boxagent setup` writes. Each says who wrote it and how it goes away.
enum UnitDropIns {
    private static let head = "# Written by 'boxagent setup'; 'boxagent setup --undo' takes it away.\n"

    /// Beside what the unit allows already, and in place of no network at all.
    static func site(_ servers: [String]) -> String {
        head + """
            [Service]
            RestrictAddressFamilies=AF_INET AF_INET6
            IPAddressAllow=\(servers.joined(separator: " "))

            """
    }

    /// Why each plugin: docs/reference/bluetooth.md, "Settings".
    static func bluetoothd(_ program: String) -> String {
        head + """
            [Service]
            ExecStart=
            ExecStart=\(program) --noplugin=battery,bap,mcp,vcp,micp,csip,bass
            Restart=on-failure
            RestartSec=1

            """
    }

    /// docs/how-to/greeters.md, "A text console".
    static let console =
        head + """
            [Unit]
            After=boxagentd.service

            [Service]
            ExecStart=
            ExecStart=-/sbin/agetty --noclear --skip-login --login-program /usr/bin/boxlogin - $TERM

            """
}
