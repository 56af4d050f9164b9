import TestSupport

/// The files of a database after a number of operations, as each kind of crash leaves them.
struct CrashedDisk {
    typealias Files = [DiskFile: [UInt8]]

    /// The files as a process sees them, and as it leaves them when it is killed.
    private(set) var files: Files
    /// The files that are certainly on the disk, and the changes since.
    private var synced: Files
    private var unsynced: [DiskFile: [DiskOperation.Change]] = [:]

    /// Creates a disk that has all of `files`.
    init(_ files: Files) {
        self.files = files
        synced = files
    }

    mutating func apply(_ operation: DiskOperation) {
        let file = operation.file
        Self.apply(operation.change, to: &files[file])
        switch operation.change {
        case .sync:
            // The first sync of a log or journal that SQLite has created also syncs the directory (os_unix.c,
            // UNIXFILE_DIRSYNC).
            let isNew = unsynced[file]?.contains { $0.isCreation } ?? false
            keep(file)
            for other in DiskFile.allCases where isNew && files[other] == nil { keep(other) }
        case .deletion(isDurable: true): keep(file)
        default: unsynced[file, default: []].append(operation.change)
        }
    }

    private mutating func keep(_ file: DiskFile) {
        synced[file] = files[file]
        unsynced[file] = nil
    }

    /// Returns the files after a power loss. Unsynced writes are lost, or some of them survive whole or in part.
    func afterPowerLoss(_ random: inout SeededGenerator) -> Files {
        var left = synced
        guard Int.random(in: 0..<4, using: &random) > 0 else { return left }
        for (file, changes) in unsynced.sorted(by: { $0.key.suffix < $1.key.suffix }) {
            for change in changes {
                switch (change, Int.random(in: 0..<3, using: &random)) {
                case (.write(let bytes, let offset), 1): Self.tear(bytes, at: offset, &random, &left[file])
                case (_, 1...): Self.apply(change, to: &left[file])
                default: break
                }
            }
        }
        return left
    }

    /// Applies a random part of a write: each sector reaches the disk or does not.
    private static func tear(
        _ bytes: [UInt8], at offset: Int, _ random: inout SeededGenerator, _ content: inout [UInt8]?
    ) {
        for start in stride(from: 0, to: bytes.count, by: 512) where Bool.random(using: &random) {
            let part = Array(bytes[start..<min(bytes.count, start + 512)])
            apply(.write(part, at: offset + start), to: &content)
        }
    }

    private static func apply(_ change: DiskOperation.Change, to content: inout [UInt8]?) {
        switch change {
        case .write(let bytes, let offset):
            var grown = content.take() ?? []
            let end = offset + bytes.count
            if grown.count < end { grown += repeatElement(0, count: end - grown.count) }
            grown.replaceSubrange(offset..<end, with: bytes)
            content = grown
        case .truncation(let size):
            var cut = content.take() ?? []
            cut = cut.count > size ? Array(cut[..<size]) : cut + repeatElement(0, count: size - cut.count)
            content = cut
        case .creation: content = content ?? []
        case .deletion: content = nil
        case .sync: break
        }
    }
}
