"""A display manager as far as the kernel sees it: says who leads its login screen's session, and has the command that it
is given run as another child of its own, once a line comes.

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
