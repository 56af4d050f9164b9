import CPostgreSQL
import EventLoop

/// libpq's connection and its descriptor's watch, ended with their last owner.
///
/// SAFETY: only `DatabaseConnection` holds one, and uses it on its executor only; the deinit runs when nobody does any more.
final class ServerHandle: @unchecked Sendable {
    /// What one look at the socket brought.
    enum Step {
        /// The command's answer is whole.
        case finished
        /// The socket has more now.
        case more
        /// Wait for the socket.
        case nothing
        /// The connection has ended: why.
        case lost(String)
    }

    let pointer: OpaquePointer
    /// Signalled when the descriptor can be read or written again.
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
        // libpq copies what it is given.
        let keys = CStrings(keywords)
        let texts = CStrings(values)
        return withExtendedLifetime((keys, texts)) {
            PQconnectStartParams(keys.pointers, texts.pointers, 0)
        }
    }

    /// libpq's words for what went wrong last.
    var reason: String {
        // SAFETY: libpq owns the text, which is copied at once.
        let text = ServerText.bounded(PQerrorMessage(pointer).map { String(cString: $0) } ?? "")
        return text.isEmpty ? "the connection has ended" : text
    }

    /// TLS may hold bytes that it has read from the socket and nobody has asked for; libpq does not tell.
    var mayHideBytes: Bool { PQsslInUse(pointer) != 0 }
    var isInTransaction: Bool { PQtransactionStatus(pointer) == PQTRANS_INTRANS }
    var isIdle: Bool { PQstatus(pointer) == CONNECTION_OK && PQtransactionStatus(pointer) == PQTRANS_IDLE }

    // MARK: Watching

    /// Watches the descriptor that libpq has now; its readiness of this moment is told, too.
    func watchAnew(for interest: Readiness) throws(DatabaseError) {
        unwatch()
        let ready = ready
        do throws(SystemError) {
            watch = try loop.watch(PQsocket(pointer), for: interest) { _ in ready.signal() }
        } catch {
            throw .unreachable("\(error)")
        }
    }

    /// Comes before anything in which libpq may close the descriptor, whose number is somebody else's then.
    func unwatch() {
        if let watch { loop.unwatch(watch) }
        watch = nil
    }

    // MARK: Connecting

    /// Goes on with connecting; the descriptor is watched anew, as libpq may have taken another, and for what libpq waits for
    /// alone: it would always be ready to be written to.
    ///
    /// - Returns: true when connected.
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

    /// Reads and writes what can be without waiting, and hands results over.
    func step(_ collector: inout ResultCollector) -> Step {
        let isOpen = PQflush(pointer) >= 0 && PQconsumeInput(pointer) == 1
        let why = isOpen ? "" : reason
        // After an end, libpq may still hold the server's last words. It waits for nothing without a socket.
        while isOpen ? PQisBusy(pointer) == 0 : PQsocket(pointer) < 0 {
            let awaited = collector.awaited
            guard let result = PQgetResult(pointer) else {
                guard isOpen, collector.lastWords == nil else { break }
                guard awaited > 1 else { return awaited == 0 ? .finished : lose("an answer is missing") }
                // Rows one by one again, unless the server runs nothing more of this pipeline.
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
        // What is left to send found the socket full, so the loop tells when it is not.
        return .nothing
    }

    private func lose(_ why: String) -> Step {
        unwatch()
        return .lost(why)
    }

    /// Whether an idle connection still stands, as far as can be known without asking the server.
    func stillStands() -> Bool {
        guard PQstatus(pointer) == CONNECTION_OK else { return false }
        guard cpostgresql_is_readable(PQsocket(pointer)) != 0 else { return true }
        // A server says nothing unasked but its farewell. Over TLS there may be words of the protocol itself.
        guard PQsslInUse(pointer) != 0 else { return false }
        for _ in 0..<2 where PQconsumeInput(pointer) != 1 {
            unwatch()
            return false
        }
        return PQstatus(pointer) == CONNECTION_OK
    }
}

/// Strings that end with NUL, and an array of them that ends with nil, freed with the owner.
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
