import Links
import PhoneCore
import Transport

extension ErrandShell {
    func performOnRadio(_ action: PhoneAction) {
        switch action {
        case .scan(let number, let duration): scan(number, for: duration)
        case .stopScan(let number):
            if hand.scan?.number == number { hand.scan?.task.cancel() }
        case .connect(let number, let address): connect(number, to: address)
        case .identify(let number):
            work(number) { (link) throws(LinkError) in .identity(number, try await link.readIdentity()) }
        case .open(let number, let demand): open(number, for: demand)
        case .write(let number, let segment): write(number, segment)
        case .disconnect(let number): disconnect(number)
        case .measure(let number):
            guard let carrier = hand.links[number]?.carrier else { return }
            start { await self.feed(.signal(number, dBm: carrier.signalStrength())) }
        default: break
        }
    }

    private func scan(_ number: OperationNumber, for duration: Duration) {
        let (radio, before, closing) = (parts.radio, hand.scan?.task, hand.closing)
        let task = start {
            // Wait for the previous scan and for closing links, because a radio can do only one of these at a time.
            await before?.value
            await closing?.value
            do throws(LinkError) {
                try await radio.scan(for: duration) { advertisement in
                    await self.feed(.heard(number, advertisement))
                    return false
                }
                await self.feed(.scanOver(number, nil))
            } catch {
                await self.feed(.scanOver(number, error))
            }
        }
        hand.scan = (number, task)
    }

    // MARK: Making a link

    private func connect(_ number: OperationNumber, to address: String) {
        let (radio, before, scan) = (parts.radio, hand.closing, hand.scan?.task)
        var link = LinkInHand()
        link.work = start {
            await scan?.value
            await before?.value
            do throws(LinkError) {
                await self.connected(number, try await radio.connect(to: address))
            } catch {
                await self.lost(number, error)
            }
        }
        hand.links[number] = link
    }

    private func connected(_ number: OperationNumber, _ link: any CentralLink) async {
        guard let known = hand.links[number], !known.isEnding else { return await link.close() }
        hand.links[number]?.link = link
        feed(.linked(number))
    }

    /// Runs a step on the link. The step's result becomes an event.
    private func work(
        _ number: OperationNumber, _ body: @escaping @Sendable (any CentralLink) async throws(LinkError) -> PhoneEvent
    ) {
        guard let link = hand.links[number]?.link else { return }
        hand.links[number]?.work = start {
            do throws(LinkError) {
                await self.feed(try await body(link))
            } catch {
                await self.lost(number, error)
            }
        }
    }

    private func open(_ number: OperationNumber, for demand: LinkDemand) {
        work(number) { (link) throws(LinkError) in await self.opened(number, try await link.open(for: demand)) }
    }

    private func opened(_ number: OperationNumber, _ opened: OpenedLink) async -> PhoneEvent {
        guard let known = hand.links[number], !known.isEnding else {
            await opened.link.close()
            return .linkDown(number, .closed)
        }
        let carrier = opened.link
        hand.links[number]?.carrier = carrier
        start { await self.read(number, carrier) }
        return .opened(
            number,
            Carrier(
                name: carrier.carrierName, binding: carrier.binding, limits: carrier.segmentLimits,
                carries: opened.carries, shortcoming: opened.shortcoming))
    }

    // MARK: Using a link

    private func read(_ number: OperationNumber, _ carrier: any PhoneLink) async {
        do throws(LinkError) {
            while true {
                feed(.segment(number, try await carrier.receive()))
                await untilHeard()
            }
        } catch {
            lost(number, error)
        }
    }

    private func write(_ number: OperationNumber, _ segment: [UInt8]) {
        guard let known = hand.links[number], let carrier = known.carrier else { return }
        hand.links[number]?.put(segment)
        guard known.writer == nil else { return }
        hand.links[number]?.writer = start { await self.writeAll(number, carrier) }
    }

    private func writeAll(_ number: OperationNumber, _ carrier: any PhoneLink) async {
        do throws(LinkError) {
            while let segment = hand.links[number]?.takeSegment() {
                try await carrier.send(segment)
                feed(.written(number))
            }
        } catch {
            lost(number, error)
        }
        hand.links[number]?.writer = nil
    }

    // MARK: Ending a link

    private func lost(_ number: OperationNumber, _ error: LinkError) {
        feed(.linkDown(number, error))
        disconnect(number)
    }

    /// Closes a link once its queued segments are sent, or after `PhoneLimits.farewell`.
    private func disconnect(_ number: OperationNumber) {
        guard let ending = hand.links[number], !ending.isEnding else { return }
        hand.links[number]?.isEnding = true
        ending.work?.cancel()
        let (parts, before) = (parts, hand.closing)
        let latest = parts.clock.now() + parts.limits.farewell
        hand.closing = start {
            await before?.value
            let watchdog = parts.start {
                guard (try? await parts.clock.sleep(until: latest)) != nil else { return }
                await ending.close()
            }
            await ending.writer?.value
            watchdog.cancel()
            await ending.close()
            await ending.work?.value
            await self.forget(number)
        }
    }

    private func forget(_ number: OperationNumber) {
        hand.links[number] = nil
    }
}

extension LinkInHand {
    fileprivate func close() async {
        if let carrier { return await carrier.close() }
        await link?.close()
    }
}
