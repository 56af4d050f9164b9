import EventLoop
import Glibc

// site-load keys COUNT: the public keys of as many boxes, one in a line. site-load run PORT ROOT COUNT FULL DIRECTORY: links them, and
// says when each head arrived. See Tests/Benchmarks/site.

/// A line, at once: whoever reads waits for it.
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
default: exit(64)
}
