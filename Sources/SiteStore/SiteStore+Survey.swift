import PostgreSQL
import SiteCore

/// A box as the site keeps it, and when it was linked to some server last.
public struct ListedBox: Sendable {
    public let box: SiteBox
    /// Seconds since 1970, to the hour; nil: never.
    public let seen: UInt64?
    /// What it said then that it is; empty: that is not known.
    public let program: String

    /// A row of a box, with when it was seen and what it said then.
    init(_ row: DatabaseRow) throws(SiteStoreError) {
        box = try SiteBox(row)
        do throws(DatabaseError) {
            seen = try row.optionalInteger(7).map { UInt64(clamping: $0) }
            program = try row.optionalText(8) ?? ""
        } catch {
            throw .damaged("a box's contact (\(error))")
        }
    }
}

extension SiteStore {
    /// Writes down which boxes are linked, and counts the whole site.
    ///
    /// - Parameter codesPerDay: Codes that a box may have within a day.
    public func survey(
        seen: [SeenBox], silentDays: Int, codesPerDay: Int
    ) async throws(SiteStoreError) -> SiteSurvey {
        do {
            if !seen.isEmpty {
                try await database.transaction { transaction in
                    _ = try await transaction.run(SurveyStatements.doNotWait)
                    _ = try await transaction.run(
                        SurveyStatements.see,
                        [
                            .text(seen.map { "\($0.box)" }.joined(separator: "\n")),
                            .text(seen.map { String(decoding: $0.program, as: UTF8.self) }.joined(separator: "\n")),
                        ])
                }
            }
            let values: [DatabaseValue] = [
                .integer(Int64(silentDays)), .integer(Int64(SiteSurvey.wipeDays)), .integer(Int64(codesPerDay)),
            ]
            guard let row = try await database.run(SurveyStatements.survey, values).rows.first else {
                throw SiteStoreError.damaged("no counts")
            }
            return SiteSurvey(
                oldestContact: try row.optionalInteger(0).map { UInt64(clamping: $0) },
                silentBoxes: Int(clamping: try row.integer(1)), silentDays: silentDays,
                wipes: Int(clamping: try row.integer(2)), askingBoxes: Int(clamping: try row.integer(3)))
        } catch {
            throw SiteStoreError(error)
        }
    }

    /// All boxes, in the order in which they were added, page by page, each with when it was seen.
    public func listedBoxes(after id: Int64) async throws(SiteStoreError) -> [ListedBox] {
        var listed: [ListedBox] = []
        for row in try await run(SurveyStatements.seenPage, [.integer(id)]) { listed.append(try ListedBox(row)) }
        return listed
    }
}
