import CSessionHook

// Started by pam_boxagent.so at open_session, as root; see session-hook(8).
exit(HookArguments.read().run())
