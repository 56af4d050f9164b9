import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes
import PageCore

/// Closes a connection if a request or the reading of its answer takes too long. The limit is for the whole exchange,
/// so a peer cannot keep the connection open with single bytes.
final class ExchangeDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var end: Scheduled<Void>?

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { close(context, in: PageLimits.requestSeconds) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { end?.cancel() }

    func channelActive(context: ChannelHandlerContext) {
        close(context, in: PageLimits.requestSeconds)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = unwrapInboundIn(data) { close(context, in: PageLimits.answerSeconds) }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.headerFields[.contentType] == "text/event-stream":
            close(context, in: PageLimits.streamSeconds + PageLimits.answerSeconds)
        case .head(let head) where head.headerFields[.contentDisposition] != nil:
            close(context, in: PageLimits.downloadSeconds)
        case .end: close(context, in: PageLimits.requestSeconds)
        case .head, .body: break
        }
        context.write(data, promise: promise)
    }

    private func close(_ context: ChannelHandlerContext, in seconds: Int) {
        end?.cancel()
        let channel = context.channel
        end = context.eventLoop.scheduleTask(in: .seconds(Int64(seconds))) { channel.close(promise: nil) }
    }
}
