import Glibc

/// A file that is not the socket of a bus, beside such a socket or in its place.
struct PathNoise {
    private let path: String

    init(in directory: String, named name: String = "noise") throws {
        path = directory + "/" + name
        let file = open(path, O_CREAT | O_WRONLY, 0o600)
        guard file >= 0 else { throw TestFailure(text: "open: errno \(errno)") }
        close(file)
        if name == "noise" { remove() }
    }

    func remove() { unlink(path) }
}
