import RecordingDisk
import Testing

/// A file of a vault's database.
enum DiskFile: CaseIterable {
    case database, log, journal

    var suffix: String {
        switch self {
        case .database: ""
        case .log: "-wal"
        case .journal: "-journal"
        }
    }
}

/// An operation of SQLite on a file.
struct DiskOperation {
    enum Change {
        case write([UInt8], at: Int)
        case truncation(to: Int)
        case sync
        case creation
        case deletion(isDurable: Bool)

        var isCreation: Bool {
            guard case .creation = self else { return false }
            return true
        }
    }

    let file: DiskFile
    let change: Change

    init?(_ recorded: recorded_operation) {
        switch recorded.file {
        case recorded_database: file = .database
        case recorded_log: file = .log
        case recorded_journal: file = .journal
        default: return nil
        }
        switch recorded.kind {
        case recorded_write:
            // SAFETY: the record has `count` bytes there, and they are copied here.
            let bytes = Array(UnsafeBufferPointer(start: recorded.bytes, count: recorded.count))
            change = .write(bytes, at: Int(recorded.offset))
        case recorded_truncation: change = .truncation(to: Int(recorded.offset))
        case recorded_sync: change = .sync
        case recorded_creation: change = .creation
        case recorded_deletion: change = .deletion(isDurable: false)
        default: change = .deletion(isDurable: true)
        }
    }
}

/// Records SQLite's operations on the files of a directory, and syncs nothing. Close the databases before `deinit`.
final class RecordedDisk: @unchecked Sendable {
    // SAFETY: the pointer never changes, and a mutex in the C code guards its target.
    private let disk: OpaquePointer

    init(directory: String) throws {
        disk = try #require(recording_disk_begin(directory))
    }

    deinit {
        recording_disk_end(disk)
    }

    var count: Int { recording_disk_count(disk) }

    func operation(_ index: Int) throws -> DiskOperation {
        try #require(DiskOperation(recording_disk_operation(disk, index)))
    }
}
