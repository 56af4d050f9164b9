import EventLoop
import PhoneCore
import PhoneKit

/// The progress line on a terminal, which appears once the work has taken a second.
actor ProgressLine {
    private static let patience = Duration.seconds(1)
    private static let turn = Duration.milliseconds(250)
    private static let signs = ["|", "/", "-", "\\"]

    private let loop: EpollLoop
    private let console: Console
    private var text = ""
    private var since = Duration.zero
    private var step = 0
    private var isDrawn = false
    private var drawing: Task<Void, Never>?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(loop: EpollLoop, console: Console) {
        self.loop = loop
        self.console = console
    }

    /// Sets the text. The clock counts from the first of several steps.
    func show(_ text: String) {
        self.text = text
        guard console.showsProgress, drawing == nil else { return }
        since = loop.now()
        drawing = loop.spawn { [weak self, loop] in
            var next = loop.now() + Self.patience
            while let self, (try? await loop.sleep(until: next)) != nil {
                await self.draw()
                next = loop.now() + Self.turn
            }
        }
    }

    /// Removes the line.
    func end() {
        drawing?.cancel()
        drawing = nil
        guard isDrawn else { return }
        console.draw("\r\u{1B}[K")
        isDrawn = false
    }

    private func draw() {
        guard drawing != nil else { return }
        step = (step + 1) % Self.signs.count
        let seconds = (loop.now() - since).components.seconds
        let line = "\(Self.signs[step]) \(text) (\(seconds) s)"
        console.draw("\r\u{1B}[K" + line.prefix((console.errorColumns ?? line.count + 1) - 1))
        isDrawn = true
    }
}
