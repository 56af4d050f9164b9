"""What the runners of tests leave behind, read alike: which tests there were, and how each ended.

Swift Testing writes its event stream (`swift test --event-stream-output-path FILE.jsonl`), pytest its JUnit file
(`--junitxml FILE.xml`), Tests/VM/run a JSON object of scenario and end for each group (GROUP.json).
"""

import json
import xml.etree.ElementTree

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
# Of several ends the one that counts: a test with arguments, or run by several runners, has passed when all of it has.
WORST_FIRST = [FAILED, SKIPPED, PASSED]


class Result:
    """How one test ended. `identity` tells two tests of one name apart."""

    def __init__(self, name, identity, end):
        self.name, self.identity, self.end = name, identity, end


def read(path):
    """The results in a file; an unfinished file gives those that are in it."""
    reader = {".jsonl": of_swift, ".xml": of_pytest, ".json": of_scenarios}[path.suffix]
    return merged(reader(path))


def merged(results):
    found = {}
    for result in results:
        known = found.setdefault(result.identity, result)
        known.end = min(known.end, result.end, key=WORST_FIRST.index)
    return list(found.values())


def of_swift(path):
    """A test that has begun and not ended was in a process that died."""
    names, ends, broken = {}, {}, set()
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        content = record.get("payload", {})
        if record.get("kind") == "test" and content.get("kind") == "function":
            names[content["id"]] = content.get("displayName") or content["name"]
            continue
        test = content.get("testID")
        if content.get("kind") == "testStarted":
            ends[test] = FAILED
        elif content.get("kind") == "testEnded":
            ends[test] = PASSED
        elif content.get("kind") == "testSkipped":
            ends[test] = SKIPPED
        elif content.get("kind") == "issueRecorded" and not content.get("issue", {}).get("isKnown"):
            broken.add(test)
    return [Result(names[test], without_line(test), FAILED if test in broken else end)
            for test, end in ends.items() if test in names]


def without_line(identity):
    """Swift's test identity without the place in the file: `Module.Suite/function()/File.swift:12:6`."""
    head, _, tail = identity.rpartition("/")
    return head if ".swift:" in tail else identity


def of_pytest(path):
    try:
        cases = xml.etree.ElementTree.parse(path).getroot().iter("testcase")
    except xml.etree.ElementTree.ParseError:
        return []
    results = []
    for case in cases:
        name = case.get("name", "").split("[")[0]
        kinds = {child.tag for child in case}
        end = FAILED if kinds & {"failure", "error"} else SKIPPED if "skipped" in kinds else PASSED
        results.append(Result(name, case.get("classname", "") + "::" + name, end))
    return results


def of_scenarios(path):
    ends = json.loads(path.read_text(encoding="utf-8"))
    return [Result(name, path.stem + ": " + name, end) for name, end in ends.items()]
