"""How often a process woke up."""
import pathlib
import re


def wakes(pid):
    """Voluntary switches of all its threads: each sleep that ended is one."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        total += int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", (task / "status").read_text(), re.MULTILINE).group(1))
    return total
