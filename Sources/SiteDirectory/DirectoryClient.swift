import ControlProtocol
import EventLoop
import Glibc
import SiteControl
import Wire

/// The connection to boxsited. It asks for names and sends the findings, until the connection ends.
struct DirectoryClient: Sendable {
    /// The longest wait for boxsited, which sends a message within 10 s unless it is busy.
    private static let patience: Duration = .seconds(60)
    /// The pause between two tries to connect.
    static let pause: Duration = .seconds(5)

    let loop: EpollLoop
    let socket: String
    let runner: DirectoryRunner

    /// Serves until the connection ends. Returns why it ended.
    func serve() async -> String {
        do {
            let connection = try await SeqPacketConnection.connect(
                to: socket, on: loop, until: loop.now() + Self.patience)
            while true {
                try await say(.next, on: connection)
                let names = try await names(from: connection)
                for finding in await runner.find(names) { try await say(.found(finding), on: connection) }
            }
        } catch {
            return "\(error)"
        }
    }

    private func names(from connection: SeqPacketConnection) async throws -> [DirectoryName] {
        var names: [DirectoryName] = []
        while true {
            guard
                let bytes = try await connection.receive(
                    limit: ControlLimits.messageBytes, until: loop.now() + Self.patience)
            else { throw DirectoryRefusal(text: "boxsited has ended") }
            switch try SiteReply.decode(bytes.span.bytes) {
            case .lookUp(let name): names.append(name)
            case .done: return names
            case .failure(_, let what, let cure): throw DirectoryRefusal(text: "\(what); \(cure)")
            default:
                throw DirectoryRefusal(
                    text: "boxsited does not expect boxsite-directory: set directory.user in boxsite.toml, and restart "
                        + "boxsited")
            }
        }
    }

    private func say(_ request: DirectoryRequest, on connection: SeqPacketConnection) async throws {
        let bytes: [UInt8] = try .encoding(limit: ControlLimits.messageBytes) {
            output throws(ControlMessageError) in try request.encode(into: &output)
        }
        try await connection.send(bytes, until: loop.now() + Self.patience)
    }
}

/// A refusal by boxsited, in its words.
struct DirectoryRefusal: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}
