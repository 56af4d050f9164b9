import SiteTrust

/// What phones are shown of the site, and show: the site document, in clear, since only the root's signature counts.
extension SiteMember {
    /// - Parameter document: Nil: the phone shows none.
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

    /// What is refused changes nothing: the phone sees that by the document that it is shown.
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
