import AuditLog
import EventLoop
import SiteCore
import SiteSetup
import SiteStore

/// This server's watch over the audit table.
extension SiteServer {
    private static let forgetPause: Duration = .seconds(3_600)
    /// The shortest time between two writes of `audit.head`, each of which waits for the disk.
    private static let headPause: Duration = .seconds(10)

    /// Takes the present end of the table. Each new end goes to the journal, and must follow from the one before.
    func witness(_ head: AuditHead) async {
        let wasWhole = audit.fault == nil
        if let walk = audit.hears(head) {
            let begin = walk.head
            do throws(SiteStoreError) {
                switch try await store.follow(walk, to: head) {
                case .success: audit.followed(from: begin, to: head)
                case .failure(let fault): audit.lost(from: begin, fault)
                }
            } catch {
                // The next look gets the end of the table again.
                return
            }
        }
        if audit.says(head) { log.notice("audit \(head.number) \(head.hex)") }
        let isFound = wasWhole && audit.fault != nil
        remember(atOnce: isFound)
        if isFound, let fault = audit.fault { feed(.auditDiffers(fault)) }
    }

    /// Stores the newest accepted entry for the next run. A run that is killed loses at most `headPause` of its memory.
    ///
    /// - Parameter atOnce: True if a fault was found, or the run ends.
    func remember(atOnce: Bool) {
        let now = loop.now()
        guard let head = audit.seen, head != storedHead.head, atOnce || now >= storedHead.due else { return }
        storedHead.due = now + Self.headPause
        do throws(SecretFileError) {
            try AuditHeadFile.write(head, in: stateDirectory)
            storedHead = (head, storedHead.due, false)
        } catch {
            if !storedHead.hasFailed { log.error("the newest entry of the audit table could not be stored: \(error)") }
            storedHead.hasFailed = true
        }
    }

    /// Deletes names that are old enough, some at a time, until the task is cancelled.
    func forget() async {
        while !Task.isCancelled {
            var hasMore = false
            do throws(SiteStoreError) {
                hasMore = try await store.forgetNames()
            } catch {
                log.error("old names in the audit table could not be deleted: \(error)")
            }
            let pause: Duration = hasMore ? .seconds(1) : Self.forgetPause
            guard (try? await loop.sleep(until: loop.now() + pause)) != nil else { return }
        }
    }
}
