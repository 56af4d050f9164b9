import Foundation
import PackagePlugin

/// Turns migrations/NNNN_*.sql, or migrations/site, into a Swift file. The program embeds its schema because a resource
/// bundle would need Foundation and an absolute path.
@main
struct EmbedMigrations: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        let tool = try context.tool(named: "embed-migrations")
        // The box's vault has its migrations in one folder, the site's database in the other.
        let path = target.name == "SiteStore" ? "migrations/site" : "migrations"
        let folder = context.package.directoryURL.appending(path: path)
        let files = try sqlFiles(in: folder)
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedMigrations.swift")
        return [
            .buildCommand(
                displayName: "Embed migrations", executable: tool.url,
                arguments: [output.path(percentEncoded: false)] + files.map { $0.path(percentEncoded: false) },
                inputFiles: files, outputFiles: [output])
        ]
    }
}

private func sqlFiles(in folder: URL) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == "sql" }
        .sorted { $0.lastPathComponent < $1.lastPathComponent }
}
