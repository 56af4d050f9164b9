import Transport

extension Phone {
    /// Gives a link that was found to be the right box's a bearer for segments: GATT, or an L2CAP channel. The phone
    /// never has both: it subscribes only where it opens no channel.
    func carrier(
        of link: any CentralLink, for bytes: Int, boxID: String, _ interaction: PhoneInteraction
    ) async throws(LinkError) -> any PhoneLink {
        let wanted = choice.bearer(for: bytes)
        return try await limited(link, limits.identity) { (link) throws(LinkError) in
            if wanted == .l2cap {
                if let channel = try await self.channel(on: link) { return channel }
                interaction.progress(.withoutL2CAP(boxID: boxID))
            }
            try await link.subscribe()
            return link
        }
    }

    /// The L2CAP channel; nil when the box offers or takes none, and the link is as it was.
    private func channel(on link: any CentralLink) async throws(LinkError) -> (any PhoneLink)? {
        let psm = try await link.readPSM()
        guard GATTProfile.dynamicPSMs.contains(psm) else { return nil }
        do throws(LinkError) {
            return try await link.openChannel(psm: psm)
        } catch .refused {
            return nil
        }
    }
}
