"""Acts as a display manager does for the kernel. It prints the leader of its login screen's session. After it reads a line, it runs
the given command as another child.

    display_manager_double.py COMMAND...
"""

import subprocess
import sys

leader = subprocess.Popen(["sleep", "600"])
try:
    print(leader.pid, flush=True)
    sys.stdin.readline()
    code = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL).returncode
finally:
    leader.kill()
    leader.wait()
sys.exit(code)
