import PostgreSQL
import SiteCore

/// A box as stored by the site, and when it was last linked to a server.
public struct ListedBox: Sendable {
    public let box: SiteBox
    /// Seconds since 1970, to the hour, or nil if never.
    public let seen: UInt64?
    /// The program and version that the box claimed then, or empty if unknown.
    public let program: String

    /// Reads a box, the time when it was seen, and its program.
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
    /// Records which boxes are linked, and makes a survey of the whole site.
    ///
    /// - Parameter codesPerDay: The codes that a box may have within a day.
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

    /// Returns a page of boxes in the order in which they were added, each with the time when it was seen.
    public func listedBoxes(after id: Int64) async throws(SiteStoreError) -> [ListedBox] {
        var listed: [ListedBox] = []
        for row in try await run(SurveyStatements.seenPage, [.integer(id)]) { listed.append(try ListedBox(row)) }
        return listed
    }
}
