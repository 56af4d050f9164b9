import AuditLog
import EventLoop
import SiteCore
import SiteStore

/// This server's watch over the audit table.
extension SiteServer {
    private static let forgetPause: Duration = .seconds(3_600)

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
        if wasWhole, let fault = audit.fault {
            log.error(
                "the audit table differs from what this server saw: \(fault). Unless you restored a backup, someone has changed it; "
                    + "see boxsite audit check")
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
