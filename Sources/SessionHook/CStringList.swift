import CSessionHook

/// A null-terminated list of C strings for execve(2) and posix_spawn(3).
enum CStringList {
    // SAFETY: the copies live until `body` has returned, and the list ends with a null pointer.
    static func with(_ words: [[UInt8]], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32) -> Int32
    {
        var copies: [UnsafeMutablePointer<CChar>?] = []
        for word in words { word.withCString { copies.append(strdup($0)) } }
        copies.append(nil)
        let result = copies.withUnsafeMutableBufferPointer { list in
            list.baseAddress.map(body) ?? ENOMEM
        }
        for copy in copies { free(copy) }
        return result
    }
}
