import AgentConfiguration
import AgentCore
import EventLoop
import Sessions
import Transport
import Vault

/// The parts of the agent.
struct AgentParts: Sendable {
    let loop: EpollLoop
    let startedAt: Duration
    let log: AgentLog
    let vault: BoxVault
    let shownKeys: ShownKeys
    let radio: any PeripheralRadio
    let controller: any SessionController
    let logind: Logind
    let accounts: AccountDirectory
    let metrics: MetricsKeeper
    let configuration: Configuration
    let place: BoxPlace

    /// The keys with the digits that are shown now.
    var keys: BoxKeys { shownKeys.now }
}
