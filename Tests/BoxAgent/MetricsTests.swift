import AgentCore
import PhoneMessages
import TestSupport
import Testing

@testable import BoxAgent

@Suite("Metrics")
struct MetricsTests {
    private func counted(_ events: [AgentMetrics.Event]) -> AgentMetrics {
        var metrics = AgentMetrics()
        for event in events { _ = metrics.count(event) }
        return metrics
    }

    private func value(_ sample: String, in metrics: AgentMetrics) -> String? {
        metrics.text.split(separator: "\n").first { $0.hasPrefix(sample + " ") }.map {
            String($0.dropFirst(sample.count + 1))
        }
    }

    @Test("Everything that can be counted stands there with 0 before it happens, so that its first time is an increase")
    func zeros() throws {
        let families = try OpenMetricsReader.read(AgentMetrics().text)
        #expect(families.flatMap(\.samples).filter { $0.value != 0 }.map(\.name) == ["boxagent_build_info"])
        #expect(
            families.first { $0.name == "boxagent_logins" }?.samples.map { $0.labels["result"] }
                == ["correct", "wrong", "unknown", "locked", "expired", "must_change", "refused", "other"])
    }

    @Test("What is written keeps the grammar of OpenMetrics 1.0, whatever was counted")
    func grammar() throws {
        var events: [AgentMetrics.Event] = [.pinWrong, .credentialWiped, .phonesChanged]
        for code in ResultCode.allCases {
            for time in [-1.0, 0, 0.0001, 0.1, 0.3, 59.9, 60, 1e9] {
                events.append(.loginJudged(code, after: .seconds(time)))
            }
        }
        for end in ChannelEnd.allCases { events.append(.linkEnded(end)) }
        let families = try OpenMetricsReader.read(counted(events).text)
        let types = ["gauge", "counter", "histogram", "counter", "counter", "gauge", "gauge", "counter"]
        #expect(families.map(\.type) == types)
        #expect(families.allSatisfy { $0.name.hasPrefix("boxagent_") && !$0.help.isEmpty })
    }

    @Test("A login counts by its verdict, in the bucket of its time and all above")
    func logins() {
        let metrics = counted([
            .loginJudged(.correct, after: .milliseconds(250)), .loginJudged(.correct, after: .milliseconds(251)),
            .loginJudged(.wrongCredentials, after: .seconds(61)), .loginJudged(.busy, after: .zero),
        ])
        #expect(value("boxagent_logins_total{result=\"correct\"}", in: metrics) == "2")
        #expect(value("boxagent_logins_total{result=\"wrong\"}", in: metrics) == "1")
        #expect(value("boxagent_logins_total{result=\"other\"}", in: metrics) == "1")
        let buckets = ["0.1", "0.25", "0.5", "60.0", "+Inf"].map {
            value("boxagent_login_duration_seconds_bucket{le=\"\($0)\"}", in: metrics)
        }
        #expect(buckets == ["1", "2", "3", "3", "4"])
        #expect(value("boxagent_login_duration_seconds_count", in: metrics) == "4")
        #expect(value("boxagent_login_duration_seconds_sum", in: metrics) == "61.501")
    }

    @Test("A radio that stops working shows, and one that goes on as it was changes nothing")
    func radio() {
        var metrics = AgentMetrics()
        let changes = [false, true, true].map { metrics.count(.radio(isWorking: $0)) }
        #expect(changes == [false, true, false])
        #expect(value("boxagent_radio_working", in: metrics) == "1")
        let isChange = metrics.count(.radio(isWorking: false))
        #expect(isChange)
        #expect(value("boxagent_radio_working", in: metrics) == "0")
    }

    @Test("A link that ends in order is no error, and changes nothing")
    func links() {
        var metrics = AgentMetrics()
        for end in [
            ChannelEnd.linkClosed, .expired, .replaced, .enrolmentRefused, .grantRefused, .revoked, .agentStops,
        ] {
            let changed = metrics.count(.linkEnded(end))
            #expect(!changed)
        }
        #expect(metrics == AgentMetrics())
        let changed = metrics.count(.linkEnded(.unknownDevice))
        #expect(changed)
        #expect(value("boxagent_link_errors_total{reason=\"unknown_device\"}", in: metrics) == "1")
    }

    @Test("The file is written after a change, every 15 s at most, and once a minute while that fails")
    func schedule() {
        var schedule = MetricsSchedule()
        #expect(schedule.deadline == nil)
        schedule.changed(now: .seconds(100))
        #expect(schedule.deadline == .seconds(100))
        schedule.begins(now: .seconds(100))
        #expect(schedule.deadline == nil)
        schedule.changed(now: .seconds(101))
        schedule.changed(now: .seconds(102))
        #expect(schedule.deadline == .seconds(115))
        schedule.begins(now: .seconds(115))
        schedule.failed(now: .seconds(115))
        schedule.changed(now: .seconds(116))
        #expect(schedule.deadline == .seconds(175))
        schedule.begins(now: .seconds(175))
        schedule.changed(now: .seconds(500))
        #expect(schedule.deadline == .seconds(500))
    }
}
