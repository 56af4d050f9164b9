import SiteLink
import SiteTrust

extension SiteServerMachine {
    /// Handles a report that a status differs from a box's entries. The box gets all entries, and is asked for its own.
    mutating func differs(_ id: LinkID) {
        guard case .served(let box) = links[id], box.counts.differences < box.counts.heads else { return end(id, nil) }
        guard box.counts.vainUploads < SiteLimits.vainUploads else {
            note(.error, "a box and the site cannot agree on the set of entries; the link is ended")
            return end(id, nil)
        }
        change(id) { $0.differs() }
        if box.mayBeAsked(under: pin.facts) { uploads.ask(id) }
        flow(to: id)
    }

    /// Ends a turn that has lasted too long, and asks the next box.
    mutating func turnUploads(_ now: Duration) {
        if let id = uploads.overdue(now: now) {
            note(.warning, "a box did not send its entries in time; the link is ended")
            end(id, nil)
        }
        guard let id = uploads.next(now: now) else { return }
        change(id) { $0.upload = BoxUpload() }
        say(.wantEntries, to: id)
    }

    /// Ends an upload. If it brought nothing new, nothing is written.
    mutating func endUpload(of id: LinkID) {
        guard case .served(let box) = links[id], let upload = box.upload else { return end(id, nil) }
        let shown = max(upload.number, number)
        if box.floor.number > shown {
            note(.warning, "a box claims a signed status with number \(box.floor.number), but does not show it")
        }
        let isVain = upload.entries.count == 0 && upload.number <= number
        change(id) { $0.endUpload(shown: shown, isVain: isVain) }
        guard isVain else {
            uploads.store(id)
            return effects.append(.store(id, upload.entries.entries, above: upload.number))
        }
        uploads.finish(id)
        flow(to: id)
    }

    mutating func upload(_ message: MessageToSite, from id: LinkID) {
        guard case .served(let box) = links[id], var upload = box.upload else { return end(id, nil) }
        do throws(SiteError) {
            try upload.take(message, pin, heads)
            change(id) { $0.upload = upload }
        } catch {
            note(.error, "a box shows an object that this site cannot have signed (\(error)); the link is ended")
            end(id, nil)
        }
    }
}
