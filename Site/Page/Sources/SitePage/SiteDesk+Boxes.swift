import PageCore
import SiteControl

extension SiteDesk {
    /// Most codes in one list: more than can be valid at once.
    private static let codesListed = 1_000

    /// Makes a code with which one box or many join. Returns the box's number and the code, which carries a secret.
    func joinCode(
        _ wish: SiteRequest, as administrator: String
    ) async throws(DeskFailure) -> (number: String, code: String) {
        let answer = try await ask(wish, as: administrator)
        guard case .joinCode(let number, _)? = answer.replies.first else { throw Self.unexpected }
        return (number, answer.code)
    }

    func bulkCodes(as administrator: String) async throws(DeskFailure) -> [BulkCodeListing] {
        try await ask(.bulk(BulkWish(.codes)), as: administrator, limit: Self.codesListed).replies.compactMap {
            if case .bulkCode(let code) = $0 { code } else { nil }
        }
    }

    /// Returns a part of the list of waiting boxes.
    func waitingBoxes(_ wish: ListWish, as administrator: String) async throws(DeskFailure) -> (
        rows: [WaitingListing], end: ListEnd
    ) {
        try await part(wish, as: administrator) { if case .waitingBox(let box) = $0 { box } else { nil } }
    }
}
