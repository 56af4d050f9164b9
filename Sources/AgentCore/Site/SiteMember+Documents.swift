import SiteTrust

/// Site documents that phones and box show each other in clear, because only the root's signature counts.
extension SiteMember {
    /// - Parameter document: Nil if the phone shows none.
    mutating func documentWanted(
        _ channel: ChannelID, shown document: ClaimedSiteDocument?, _ tools: inout SiteTools, _ out: inout Output
    ) {
        guard let document, document.bytes != belief.site.pin.bytes,
            shown.add(document, of: channel, at: out.time)
        else { return show(to: channel, &out) }
        work(&tools, &out)
    }

    func show(to channel: ChannelID, _ out: inout Output) {
        out.emit(.showDocument(channel, belief.site.pin.bytes))
    }

    /// Checks a document of a phone. If it is refused, nothing changes, and the phone gets the box's document.
    mutating func judge(
        _ document: ClaimedSiteDocument, of channel: ChannelID, _ tools: inout SiteTools, _ out: inout Output
    ) {
        var tally = SignatureTally()
        do throws(SiteError) {
            guard let (newWrite, change) = try belief.take(document, &tally) else { return show(to: channel, &out) }
            var write = newWrite
            write.next = .show(channel)
            begin(write, change, &tools, &out)
        } catch {
            show(to: channel, &out)
        }
    }
}
