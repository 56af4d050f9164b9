import Links

/// A link that gets any event at any time. The input is a list of steps: a kind, a length, and that many bytes.
enum SegmentsFuzz {
    static let entry: FuzzEntry = { data, count in
        run(input(data, count)[...], LinkClasses.Class(bearer: .gatt, mtu: 23))
        return 0
    }

    fileprivate static func run(_ input: ArraySlice<UInt8>, _ linkClass: LinkClasses.Class) {
        var rest = input
        var state = State(linkClass)
        while let kind = rest.popFirst() {
            let length = Int(rest.popFirst() ?? 0)
            let bytes = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
            state.step(kind, bytes)
        }
    }

    private struct State {
        private let segmentLimit: Int
        private var link: SegmentedLink
        private var now = Duration.zero
        private var limit = Segmentation.unauthenticatedMessageBytes
        private var hasEnded = false

        init(_ linkClass: LinkClasses.Class) {
            segmentLimit = linkClass.limits.sentBytes
            link = SegmentedLink(limits: linkClass.limits)
        }

        mutating func step(_ kind: UInt8, _ bytes: [UInt8]) {
            switch kind % 5 {
            case 0: perform(.segment(bytes))
            case 1: perform(.receive)
            case 2:
                now += .milliseconds(bytes.count * 10)
                perform(.timer)
            case 3:
                if link.canSend(bytes.count) { perform(.send(bytes)) }
            default:
                limit = Segmentation.messageBytes
                link.raiseMessageLimit(to: limit)
            }
        }

        private mutating func perform(_ event: SegmentedLink.Event) {
            let actions = link.handle(event, now: now)
            promise(!hasEnded || actions.isEmpty, "a link that has ended still acts")
            promise(actions.count <= Segmentation.windowSegments + 2, "one event has too many actions")
            for action in actions {
                switch action {
                case .transmit(let segment):
                    promise((2...segmentLimit).contains(segment.count), "a segment of a wrong size")
                case .deliver(let message): promise(message.count <= limit, "a message over the limit")
                case .end: hasEnded = true
                }
            }
            promise(link.keptBytes <= 2 * limit, "more is kept than the bound")
            promise(link.pendingBytes <= Segmentation.queueBytes, "more waits to be sent than the bound")
            if let deadline = link.deadline { promise(deadline > now - .seconds(60), "a deadline that never comes") }
        }
    }
}

/// The steps of `SegmentsFuzz` at every class of MTU, over GATT and over a channel. The first byte chooses the class.
enum BearerSegmentsFuzz {
    static let entry: FuzzEntry = { data, count in
        var rest = input(data, count)[...]
        guard let choice = rest.popFirst() else { return 0 }
        SegmentsFuzz.run(rest, LinkClasses.chosen(choice))
        return 0
    }
}
