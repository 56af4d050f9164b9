import CSessionHook

// pam_boxagent.so starts this program as root at open_session. See session-hook(8).
exit(HookArguments.read().run())
