import EventLoop
import Glibc

// site-load keys COUNT: prints the public keys of COUNT boxes, one a line.
// site-load run PORT ROOT COUNT FULL DIRECTORY: links the boxes, and prints when each signed status arrived. See
// Tests/Benchmarks/site.
// site-load tries PORT ROOT SITE-KEY BOXES PHONES TRIES COUNTER: links boxes that carry TRIES wrong PINs of each
// phone. See Tests/Benchmarks/held.

/// Writes a line without buffering, because the reader waits for it.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(1, bytes, bytes.count)
}

let words = Array(CommandLine.arguments.dropFirst())
switch (words.first, words.count) {
case ("keys", 2):
    for index in 0..<(Int(words[1]) ?? 0) { say(LoadKeys.hexadecimal(LoadKeys.pair(index).publicKey)) }
case ("run", 6):
    guard let port = UInt16(words[1]), let root = LoadKeys.bytes(words[2]), let count = Int(words[3]),
        let full = Int(words[4])
    else {
        exit(64)
    }
    exit(
        EpollLoop.runMain { loop in
            await Load(loop: loop, port: port, root: root, count: count, full: full, directory: words[5]).run()
            return 0
        })
case ("tries", 8):
    guard let port = UInt16(words[1]), let root = LoadKeys.bytes(words[2]), let siteKey = LoadKeys.bytes(words[3]),
        let boxes = Int(words[4]), let phones = Int(words[5]), let tries = Int(words[6]),
        let counter = UInt64(words[7]),
        boxes > 0, phones.isMultiple(of: boxes)
    else {
        exit(64)
    }
    let terms = TryLoad.Terms(
        port: port, root: root, siteKey: siteKey, boxes: boxes, phones: phones, triesOfPhone: tries, counter: counter)
    exit(EpollLoop.runMain { loop in await TryLoad(loop: loop, terms).run() })
default: exit(64)
}
