import CPostgreSQL
import EventLoop

/// libpq's connection and its descriptor's watch, both released with the last owner.
///
/// SAFETY: only `DatabaseConnection` holds a handle, and uses it on its executor only; deinit runs after the last use.
final class ServerHandle: @unchecked Sendable {
    /// The result of one read of the socket.
    enum Step {
        /// The command's answer is complete.
        case finished
        /// The socket has more to read now.
        case more
        /// Nothing more can be done until the socket is ready.
        case nothing
        /// The connection has ended. The text says why.
        case lost(String)
    }

    let pointer: OpaquePointer
    /// Signalled when the descriptor becomes readable or writable.
    let ready: WaitPoint
    private let loop: EpollLoop
    private var watch: WatchToken?

    /// Begins to connect.
    init(_ settings: DatabaseSettings, on loop: EpollLoop) throws(DatabaseError) {
        let keywords = settings.parameters.map(\.keyword)
        let values = settings.parameters.map(\.value)
        guard let started = Self.start(keywords, values) else { throw .unreachable("out of memory") }
        pointer = started
        self.loop = loop
        ready = WaitPoint(on: loop)
        cpostgresql_drop_notices(started)
        guard PQstatus(started) != CONNECTION_BAD else { throw .unreachable(reason) }
    }

    deinit {
        unwatch()
        PQfinish(pointer)
    }

    private static func start(_ keywords: [String], _ values: [String]) -> OpaquePointer? {
        // libpq copies both arrays.
        let keys = CStrings(keywords)
        let texts = CStrings(values)
        return withExtendedLifetime((keys, texts)) {
            PQconnectStartParams(keys.pointers, texts.pointers, 0)
        }
    }

    /// libpq's message about the last failure.
    var reason: String {
        // SAFETY: libpq owns the text, which is copied at once.
        let text = ServerText.bounded(PQerrorMessage(pointer).map { String(cString: $0) } ?? "")
        return text.isEmpty ? "the connection has ended" : text
    }

    /// True if TLS may hold unread bytes that have left the socket. libpq does not report such bytes.
    var mayHideBytes: Bool { PQsslInUse(pointer) != 0 }
    var isInTransaction: Bool { PQtransactionStatus(pointer) == PQTRANS_INTRANS }
    var isIdle: Bool { PQstatus(pointer) == CONNECTION_OK && PQtransactionStatus(pointer) == PQTRANS_IDLE }

    // MARK: Watching

    /// Watches libpq's current descriptor. If the descriptor is already ready, that is signalled, too.
    func watchAnew(for interest: Readiness) throws(DatabaseError) {
        unwatch()
        let ready = ready
        do throws(SystemError) {
            watch = try loop.watch(PQsocket(pointer), for: interest) { _ in ready.signal() }
        } catch {
            throw .unreachable("\(error)")
        }
    }

    /// Stops watching. Must be called before libpq may close the descriptor, because its number may then be reused.
    func unwatch() {
        if let watch { loop.unwatch(watch) }
        watch = nil
    }

    // MARK: Connecting

    /// Continues to connect. It watches the descriptor again, because libpq may have opened another one. It watches
    /// only for what libpq waits for, because the socket would always be writable.
    ///
    /// - Returns: True when connected.
    func connectStep() throws(DatabaseError) -> Bool {
        unwatch()
        switch PQconnectPoll(pointer) {
        case PGRES_POLLING_OK:
            guard PQsetnonblocking(pointer, 1) == 0 else { throw .unreachable(reason) }
            try watchAnew(for: [.readable, .writable])
            return true
        case PGRES_POLLING_FAILED: throw .unreachable(reason)
        case PGRES_POLLING_READING:
            try watchAnew(for: .readable)
            return false
        default:
            try watchAnew(for: .writable)
            return false
        }
    }

    // MARK: Running

    /// Reads and writes as much as possible without blocking, and passes results on.
    func step(_ collector: inout ResultCollector) -> Step {
        let isOpen = PQflush(pointer) >= 0 && PQconsumeInput(pointer) == 1
        let why = isOpen ? "" : reason
        // After a lost connection, libpq may hold the server's last message, and PQgetResult does not block.
        while isOpen ? PQisBusy(pointer) == 0 : PQsocket(pointer) < 0 {
            let awaited = collector.awaited
            guard let result = PQgetResult(pointer) else {
                guard isOpen, collector.lastWords == nil else { break }
                guard awaited > 1 else { return awaited == 0 ? .finished : lose("an answer is missing") }
                // Each command needs row-by-row mode again, unless the server skips the rest of this pipeline.
                if collector.nextAnswer(), collector.keepsRows, collector.error == nil { PQsetSingleRowMode(pointer) }
                continue
            }
            defer { PQclear(result) }
            collector.take(result)
            if collector.mustEnd { break }
            if awaited > 0, collector.awaited == 0 {
                return PQexitPipelineMode(pointer) == 1 ? .finished : lose(reason)
            }
        }
        guard isOpen, !collector.mustEnd, PQsocket(pointer) >= 0 else {
            return lose(collector.lastWords ?? (why.isEmpty ? reason : why))
        }
        if cpostgresql_is_readable(PQsocket(pointer)) != 0 { return .more }
        // If output is left, the socket was full, and the loop signals when the socket is writable.
        return .nothing
    }

    private func lose(_ why: String) -> Step {
        unwatch()
        return .lost(why)
    }

    /// Returns whether an idle connection still works, as far as this is known without asking the server.
    func stillStands() -> Bool {
        guard PQstatus(pointer) == CONNECTION_OK else { return false }
        guard cpostgresql_is_readable(PQsocket(pointer)) != 0 else { return true }
        // An idle server sends nothing but its last message before it closes. Over TLS, there may be protocol records.
        guard PQsslInUse(pointer) != 0 else { return false }
        for _ in 0..<2 where PQconsumeInput(pointer) != 1 {
            unwatch()
            return false
        }
        return PQstatus(pointer) == CONNECTION_OK
    }
}

/// NUL-terminated strings and an array of pointers to them, which ends with nil. The owner's deinit frees them.
private final class CStrings {
    // SAFETY: each is allocated here and freed in deinit, and lent to calls only while this object is held.
    let pointers: [UnsafePointer<CChar>?]

    init(_ strings: [String]) {
        // SAFETY: every pointer has room for its text and the NUL.
        pointers =
            strings.map { text in
                let bytes = text.utf8CString
                let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
                for (index, byte) in bytes.enumerated() { memory.advanced(by: index).initialize(to: byte) }
                return UnsafePointer(memory)
            } + [nil]
    }

    deinit {
        for pointer in pointers { pointer?.deallocate() }
    }
}
