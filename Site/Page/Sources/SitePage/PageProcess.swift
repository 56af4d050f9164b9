import EventLoop
import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import PageCore
import ServiceLifecycle

/// A running page: it makes its parts, and serves until a signal.
///
/// All decisions run on the loop's thread, because tasks that start there stay there. NIO has a second thread.
struct PageProcess: Sendable {
    let loop: EpollLoop
    let configuration: PageConfiguration

    /// Serves until a signal ends it, and returns the exit status.
    func run() async -> Int32 {
        do {
            let stopped = WaitPoint(on: loop)
            let mark = stopped.mark()
            let signals = try loop.signals([SIGTERM, SIGINT]) { _ in stopped.signal() }
            defer { withExtendedLifetime(signals) {} }
            let desk = SiteDesk(path: configuration.control, loop: loop)
            let state = PageState(loop: loop)
            let views = try PageViews(forms: state.forms)
            let server = PageServer(configuration: configuration, desk: desk, state: state, views: views)
            let outcome = Outcome()
            let served = loop.spawn {
                await outcome.keep(await serve(server))
                stopped.signal()
            }
            _ = await stopped.wait(since: mark)
            served.cancel()
            _ = await served.value
            return await outcome.failure.map { failure in
                PageMain.write(2, "boxsite-page: \(failure)\n")
                return 69
            } ?? 0
        } catch {
            PageMain.write(2, "boxsite-page: \(error)\n")
            return 69
        }
    }

    /// Keeps the reason if the server ended unexpectedly.
    private actor Outcome {
        private(set) var failure: String?
        func keep(_ failure: String?) { self.failure = failure }
    }

    private func serve(_ server: PageServer) async -> String? {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let systemd = Notify()
        let address: BindAddress
        switch configuration.listen {
        case .port(let port): address = .hostname("127.0.0.1", port: port)
        case .path(let path):
            // Remove a stale socket of an earlier process.
            unlink(path)
            address = .unixDomainSocket(path: path)
        }
        let configuration = configuration
        let application = Application(
            router: server.router(),
            server: .http1(
                configuration: HTTP1Channel.Configuration(
                    additionalChannelHandlers: [ExchangeDeadline()],
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: PageLimits.headerBytes, maxHeaderListSize: PageLimits.headerBytes,
                        maxHeaderFieldCount: PageLimits.headerFields))),
            configuration: ApplicationConfiguration(
                address: address, availableConnectionsDelegate: MaximumAvailableConnections(PageLimits.connections)),
            onServerRunning: { _ in
                if case .path(let path) = configuration.listen {
                    // The proxy's user is in this user's group, and must be able to connect.
                    chmod(path, 0o660)
                }
                systemd.ready()
                PageMain.write(2, "boxsite-page: ready at \(configuration.origin.text)\n")
            },
            eventLoopGroupProvider: .shared(group), logger: PageServer.quietLogger)
        do {
            try await application.run()
            return Task.isCancelled ? nil : "the server ended unexpectedly"
        } catch {
            return Task.isCancelled ? nil : "cannot serve: \(error)"
        }
    }
}
