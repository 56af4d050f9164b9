"""What the runners of tests leave behind, read alike: which tests there were, and how each ended.

Swift Testing writes its event stream (`swift test --event-stream-output-path FILE.jsonl`): its JUnit file has functions, not
the sentences that tests are named by. pytest writes its JUnit file (`--junitxml FILE.xml`), Tests/VM/run a JSON object of
scenario and end for each group (GROUP.json).
"""

import collections
import json
import pathlib
import sys
import xml.etree.ElementTree

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
# A test that has begun and not ended was in a process that died.
SWIFT_ENDS = {"testStarted": FAILED, "testEnded": PASSED, "testSkipped": SKIPPED}
# How one test ended. `identity` tells two tests of one name apart.
Result = collections.namedtuple("Result", "name identity end")


def read(path):
    """The results in a file; an unfinished file gives those that are in it."""
    return {".jsonl": of_swift, ".xml": of_pytest, ".json": of_scenarios}[path.suffix](path)


def count(paths, status=0):
    """How many of the results are of each end. What ended with a status that no result explains is one more that failed."""
    counts = collections.Counter(result.end for path in paths if path.exists() for result in read(path))
    if status and not counts[FAILED]:
        counts[FAILED] = 1
    return counts


def line(counts):
    """What runners print last."""
    return "%d passed, %d failed" % (counts[PASSED], counts[FAILED]) + (", %d skipped" % counts[SKIPPED] if counts[SKIPPED] else "")


def of_swift(path):
    names, ends, broken = {}, {}, set()
    # Not splitlines(): it ends lines at U+2028 too, which stands in tests' arguments.
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        content = record.get("payload", {})
        kind, test = content.get("kind"), content.get("testID")
        if record.get("kind") == "test" and kind == "function":
            names[content["id"]] = content.get("displayName") or content["name"]
        elif kind in SWIFT_ENDS:
            ends[test] = SWIFT_ENDS[kind]
        elif kind == "issueRecorded" and not content.get("issue", {}).get("isKnown"):
            broken.add(test)
    return [Result(names[test], without_line(test), FAILED if test in broken else end)
            for test, end in ends.items() if test in names]


def without_line(identity):
    """Swift's test identity without the place in the file: `Module.Suite/function()/File.swift:12:6`."""
    head, _, tail = identity.rpartition("/")
    return head if ".swift:" in tail else identity


def of_pytest(path):
    try:
        cases = list(xml.etree.ElementTree.parse(path).getroot().iter("testcase"))
    except xml.etree.ElementTree.ParseError:
        return []
    results = []
    for case in cases:
        name, kinds = case.get("name", "").split("[")[0], {child.tag for child in case}
        end = FAILED if kinds & {"failure", "error"} else SKIPPED if "skipped" in kinds else PASSED
        results.append(Result(name, case.get("classname", "") + "::" + name, end))
    return results


def of_scenarios(path):
    ends = json.loads(path.read_text(encoding="utf-8"))
    return [Result(name, path.stem + ": " + name, end) for name, end in ends.items()]


if __name__ == "__main__":
    print(line(count([pathlib.Path(path) for path in sys.argv[1:-1]], int(sys.argv[-1]))))
