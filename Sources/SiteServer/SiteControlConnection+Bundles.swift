import ControlProtocol
import SiteControl
import SiteCore
import SiteLink
import SiteStore
import SiteTrust

/// Bundles, for boxes that are cut off.
extension SiteControlConnection {
    /// Certificates that are signed in a row before the server turns to its boxes again.
    private static let certificatesAtOnce = 64

    /// - Parameters:
    ///   - name: Limits the certificates to this box.
    ///   - group: Limits them to the boxes in this group. Without either, all boxes get one.
    func sayBundle(_ name: String?, group: UInt64?) async throws(SiteStoreError) {
        guard let stem = await server.ask({ machine, now in SiteBundleStem(machine, now: now) }) else {
            let doubt = await server.ask { machine, now in machine.doubt(now: now) }
            return await say(
                .failure(
                    .busy,
                    what: ControlLimits.cut("the bundle needs a signed status: \(doubt ?? "it is being signed")"),
                    cure: "run boxsite status to see why, then try again"))
        }
        // The boxes are read after the status, so that a box that was removed before the status gets no certificate.
        let boxes = try await boxes(name, group)
        guard boxes.count <= SiteBundle.certificateLimit else {
            return await say(
                .failure(
                    .invalid,
                    what: "a bundle has room for \(SiteBundle.certificateLimit) boxes, and these are \(boxes.count)",
                    cure: "make one bundle for each group: boxsite bundle --group NUMBER"))
        }
        // Use the box's number, because the audit table's hash must not cover names.
        let one = name.flatMap { _ in boxes.first }.map { "box \(String(decoding: $0.number, as: UTF8.self))" }
        let whom = one ?? group.map { "group \($0), \(boxes.count) boxes" } ?? "\(boxes.count) boxes"
        try await server.store.note("bundle", by: actor, "certificates of \(whom)")
        await say(.bundlePart(SiteBundle.firstLine + SiteBundle.frame(stem.document)))
        for start in stride(from: 0, to: boxes.count, by: Self.certificatesAtOnce) {
            let some = Array(boxes[start..<min(start + Self.certificatesAtOnce, boxes.count)])
            guard
                let certificates = await server.ask({ machine, now in
                    stem.certificates(for: some, by: machine, now: now)
                })
            else {
                return await say(
                    .failure(
                        .busy, what: "the site's keys or clock have just changed", cure: "make the bundle again"))
            }
            for message in certificates { await say(.bundlePart(SiteBundle.frame(message))) }
        }
        for message in stem.entries + [stem.head] { await say(.bundlePart(SiteBundle.frame(message))) }
        await say(.done(text: ""))
    }

    /// Returns the requested boxes that are served and in the administrator's reach. Throws if the named box is not.
    private func boxes(_ name: String?, _ group: UInt64?) async throws(SiteStoreError) -> [SiteBox] {
        var (found, last): ([SiteBox], Int64) = ([], 0)
        guard let reach = AdministratorPolicy.reach(of: who, .makeBundle) else { return [] }
        while found.count <= SiteBundle.certificateLimit {
            let page = try await server.store.boxes(after: last)
            guard let end = page.last else { break }
            last = end.id
            found += page.filter { box in
                box.state == .joined && reach.changes(box.groups) && name.map { $0 == box.name } ?? true
                    && group.map { wanted in box.groups.numbers.contains { UInt64($0) == wanted } } ?? true
            }
        }
        if let name, found.isEmpty { throw .noSuchBox(name) }
        return found
    }
}
