import ControlProtocol
import Secrets
import SiteControl
import SiteCore
import SiteLink
import SiteStore
import SiteTrust

/// Codes with which many boxes join, and the boxes that wait.
extension SiteControlConnection {
    func bulk(_ wish: BulkWish) async throws(SiteStoreError) {
        let fingerprints = wish.fingerprints.compactMap { BoxFingerprint(bytes: $0) }
        switch wish.action {
        case .add: return try await addBulkCode(wish, fingerprints)
        case .codes:
            let time = await server.ask { machine, now in machine.seconds(now: now) }
            for row in try await server.store.bulkCodes(at: time ?? 0) where sees(row.groups, .seeBoxes) {
                await say(.bulkCode(listing(row)))
            }
            await say(.done(text: ""))
        case .revoke:
            guard let id = wish.code, id.count == 8 else {
                return await refuse("this is not the id of a code", "boxsite box codes lists the ids")
            }
            let rejected = try await server.store.revokeBulkCode(id, by: actor)
            await say(.done(text: "the code is revoked; waiting boxes that are rejected: \(rejected)"))
        case .waiting:
            for box in try await server.store.waitingBoxes() where sees(box.groups, .seeBoxes) {
                await say(.waitingBox(listing(box)))
            }
            await say(.done(text: ""))
        case .approve:
            let boxes = try await server.store.approve(fingerprints, by: actor)
            await server.refresh()
            for box in boxes { await say(.box(listing(of: box))) }
            await say(.done(text: ""))
        case .reject:
            try await server.store.reject(fingerprints, by: actor)
            await say(.done(text: ""))
        }
    }

    private func addBulkCode(_ wish: BulkWish, _ listed: [BoxFingerprint]) async throws(SiteStoreError) {
        guard let name = wish.name, SiteBox.isName(name), name.utf8.count <= BulkCode.nameLimit else {
            return await refuse(
                "this beginning of names is not valid",
                "use 1 to \(BulkCode.nameLimit) letters, digits or punctuation characters, without spaces")
        }
        guard let groups = SiteGroups(wish.groups) else {
            return await refuse("the groups are not valid", "name 1 to 8 groups from 1 to 65535, each once")
        }
        guard let places = wish.places, let until = wish.until, (1...BulkCode.placesLimit).contains(places) else {
            return await refuse("a bulk code needs an expiry time and 1 to \(BulkCode.placesLimit) boxes", "")
        }
        let codeID = randomBytes(count: 8)
        try await server.store.addBulkCode(
            name: name, places: places, groups: groups, expiry: until, listed: listed, codeID: codeID, by: actor)
        if await sayCode(codeID, number: []) { await say(.done(text: BulkCodeRow.text(codeID))) }
    }

    private func listing(_ row: BulkCodeRow) -> BulkCodeListing {
        var listing = BulkCodeListing()
        listing.id = row.text
        listing.name = row.name
        listing.groups = row.groups.numbers
        listing.places = UInt64(clamping: row.code.places)
        listing.taken = UInt64(clamping: row.code.taken)
        listing.until = row.code.expiry
        listing.isRevoked = row.code.isRevoked
        return listing
    }

    func listing(_ box: WaitingBox) -> WaitingListing {
        var listing = WaitingListing()
        listing.fingerprint = BoxFingerprint(of: box.key).text
        listing.name = box.name
        listing.groups = box.groups.numbers
        listing.came = box.came
        return listing
    }

    private func listing(of box: SiteBox) -> BoxListing {
        var listing = BoxListing()
        listing.name = box.name
        listing.number = String(decoding: box.number, as: UTF8.self)
        listing.groups = box.groups.numbers
        listing.state = box.state.rawValue
        listing.key = box.key
        return listing
    }
}
