/// Systemd drop-ins that `boxagent setup` writes. Each names its author and the command that removes it.
enum UnitDropIns {
    private static let head = "# Written by 'boxagent setup'; 'boxagent setup --undo' takes it away.\n"

    /// Allows IP sockets, which the unit forbids, but only to these servers.
    static func site(_ servers: [String]) -> String {
        head + """
            [Service]
            RestrictAddressFamilies=AF_INET AF_INET6
            IPAddressAllow=\(servers.joined(separator: " "))

            """
    }

    /// For the reason why each plugin is off, see docs/reference/bluetooth.md, "Settings".
    static func bluetoothd(_ program: String) -> String {
        head + """
            [Service]
            ExecStart=
            ExecStart=\(program) --noplugin=battery,bap,mcp,vcp,micp,csip,bass
            Restart=on-failure
            RestartSec=1

            """
    }

    /// See docs/how-to/greeters.md, "A text console".
    static let console =
        head + """
            [Unit]
            After=boxagentd.service

            [Service]
            ExecStart=
            ExecStart=-/sbin/agetty --noclear --skip-login --login-program /usr/bin/boxlogin - $TERM

            """
}
