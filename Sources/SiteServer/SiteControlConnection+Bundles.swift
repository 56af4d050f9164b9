import ControlProtocol
import SiteControl
import SiteCore
import SiteLink
import SiteStore
import SiteTrust

/// Bundles, for boxes that are cut off.
extension SiteControlConnection {
    /// Certificates that are signed in a row, before the server goes on with its boxes.
    private static let certificatesAtOnce = 64

    /// - Parameters:
    ///   - name: A certificate of this box alone.
    ///   - group: Of the boxes in this group; without either, of all.
    func sayBundle(_ name: String?, group: UInt64?) async throws(SiteStoreError) {
        guard let stem = await server.ask({ machine, now in SiteBundleStem(machine, now: now) }) else {
            let doubt = await server.ask { machine, now in machine.doubt(now: now) }
            return await say(
                .failure(
                    .busy,
                    what: ControlLimits.cut("the bundle needs a signed status: \(doubt ?? "it is being signed")"),
                    cure: "run boxsite status to see why, then try again"))
        }
        // Behind the head: whoever was removed before it has no certificate.
        let boxes = try await boxes(name, group)
        guard boxes.count <= SiteBundle.certificateLimit else {
            return await say(
                .failure(
                    .invalid,
                    what: "a bundle has room for \(SiteBundle.certificateLimit) boxes, and these are \(boxes.count)",
                    cure: "make one bundle for each group: boxsite bundle --group NUMBER"))
        }
        // By its number: names do not stand in what the audit table's hash covers.
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

    /// Those that are meant, as far as they are served and the one who asks may have them. Throws where a box is named that is not.
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
