// swift-tools-version: 6.2
import PackageDescription

/// Set by Scripts/fuzz alone: libFuzzer needs flags that no package which others depend on may have.
let isFuzzing = Context.environment["BOXAGENT_FUZZ"] != nil

/// Tells libFuzzer and the address sanitizer what every target does, and opens them to the fuzzers:
/// what is internal is reached by `@testable`, as tests reach it.
let instrumented: [SwiftSetting] = isFuzzing ? [.unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing"])] : []

/// Every Swift target of this package: Swift 6 mode, no warnings, and async functions that stay on their
/// caller's executor, so that the daemon keeps its single thread.
let strictTool: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
]

/// The same for all that is fuzzed; tools that run during the build have no fuzzer to link with.
let strict = strictTool + instrumented

/// Parsers of bytes from outside: the compiler refuses every unsafe construct in them.
let strictAndMemorySafe: [SwiftSetting] = strict + [.strictMemorySafety()]

/// The PAM module is loaded into other people's programs: no runtime, no libraries but libc and libpam.
let embedded: [SwiftSetting] = strict + [.enableExperimentalFeature("Embedded")]

func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.init(stringLiteral: name)] + dependencies,
        path: "Tests/\(name)", swiftSettings: strict)
}

let package = Package(
    name: "boxagent",
    products: [
        // With the modules whose types their interfaces use.
        .library(name: "SecureChannel", targets: ["SecureChannel", "Secrets"]),
        .library(name: "Vault", targets: ["Vault", "VaultPort", "AuditLog", "Secrets"]),
        .library(name: "PhoneKit", targets: ["PhoneKit"]),
        .library(name: "PhoneMessages", targets: ["PhoneMessages", "Secrets", "Wire"]),
        .library(name: "Transport", targets: ["Transport"]),
        .library(name: "pam_boxagent", type: .dynamic, targets: ["PAMBoxAgent"]),
        .executable(name: "boxagentd", targets: ["BoxAgentDaemon"]),
        .executable(name: "boxagent", targets: ["BoxAgentCommand"]),
        .executable(name: "boxlogin", targets: ["BoxLoginCommand"]),
        .executable(name: "session-hook", targets: ["SessionHook"]),
        .executable(name: "boxagent-session", targets: ["SessionHelperCommand"]),
        .executable(name: "boxphone", targets: ["BoxPhoneCommand"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ],
    targets: [
        // Level 0: module maps and static-inline shims.
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
        .target(name: "CPAM", linkerSettings: [.linkedLibrary("pam")]),
        .target(name: "CSessionHook"),
        .target(name: "CSessionHelper", linkerSettings: [.linkedLibrary("pam")]),
        .target(name: "CLinux"),
        .target(name: "CTOML"),
        // Level 1
        .target(name: "Secrets", dependencies: ["CSodium"], swiftSettings: strict),
        .target(name: "Wire", swiftSettings: strictAndMemorySafe),
        .target(name: "TextOutput", swiftSettings: strictAndMemorySafe),
        .target(name: "AgentSetup", swiftSettings: strictAndMemorySafe),
        .target(name: "ConfigurationFile", dependencies: ["CTOML"], swiftSettings: strict),
        // Level 2
        .target(name: "SecureChannel", dependencies: ["Secrets"], swiftSettings: strict),
        .target(name: "PhoneMessages", dependencies: ["Wire", "Secrets"], swiftSettings: strictAndMemorySafe),
        .target(name: "AgentProtocol", dependencies: ["Wire"], swiftSettings: strictAndMemorySafe),
        .target(name: "Transport", swiftSettings: strictAndMemorySafe),
        .target(name: "EventLoop", dependencies: ["CLinux"], swiftSettings: strict),
        .target(name: "Normalization", dependencies: ["Secrets", "CUTF8Proc"], swiftSettings: strict),
        .target(name: "AuditLog", dependencies: ["Secrets"], swiftSettings: strictAndMemorySafe),
        // Level 3
        .target(name: "VaultPort", dependencies: ["AuditLog", "Secrets"], swiftSettings: strictAndMemorySafe),
        .target(name: "TransportLoopback", dependencies: ["Transport", "EventLoop"], swiftSettings: strict),
        .target(name: "AgentClient", dependencies: ["AgentProtocol", "Wire", "CLinux"], swiftSettings: strict),
        .target(name: "PAMLogic", dependencies: ["AgentProtocol"], swiftSettings: strictAndMemorySafe),
        .target(name: "DBus", dependencies: ["CDBus", "EventLoop"], swiftSettings: strict),
        // Level 4
        .target(
            name: "AgentConfiguration", dependencies: ["ConfigurationFile", "PhoneMessages", "VaultPort"],
            swiftSettings: strict),
        .target(
            name: "Vault", dependencies: ["AuditLog", "Secrets", "VaultPort", "CSQLite"], swiftSettings: strict,
            plugins: ["EmbedMigrations"]),
        .target(name: "TransportBlueZ", dependencies: ["Transport", "DBus", "EventLoop"], swiftSettings: strict),
        .target(
            name: "BoxLogin", dependencies: ["AgentClient", "AgentProtocol", "TextOutput", "Wire"],
            swiftSettings: strict),
        .target(
            name: "SessionHelper",
            dependencies: ["AgentProtocol", "CSessionHelper", "DBus", "EventLoop", "Secrets", "TextOutput", "Wire"],
            swiftSettings: strict),
        // Level 5
        .target(
            name: "AgentCore",
            dependencies: [
                "AgentConfiguration", "AgentProtocol", "AuditLog", "PhoneMessages", "Secrets", "SecureChannel",
                "TextOutput", "Transport", "VaultPort",
            ], swiftSettings: strictAndMemorySafe),
        .target(
            name: "PhoneKit",
            dependencies: ["SecureChannel", "PhoneMessages", "Vault", "VaultPort", "Transport", "Secrets"],
            swiftSettings: strict),
        // Level 6
        .target(name: "Sessions", dependencies: ["AgentCore", "DBus", "EventLoop"], swiftSettings: strict),
        // Level 7
        .target(
            name: "BoxAgent",
            dependencies: [
                "AgentCore", "AuditLog", "Secrets", "SecureChannel", "PhoneMessages", "AgentProtocol", "Transport",
                "EventLoop", "Vault", "VaultPort",
                "TransportLoopback", "TransportBlueZ", "Sessions", "PAMLogic", "TextOutput", "Wire",
                "AgentConfiguration",
            ], swiftSettings: strict),
        // Level 8
        .executableTarget(name: "BoxAgentDaemon", dependencies: ["BoxAgent"], swiftSettings: strict),
        .executableTarget(name: "SessionHelperCommand", dependencies: ["SessionHelper"], swiftSettings: strict),
        .executableTarget(name: "BoxLoginCommand", dependencies: ["BoxLogin"], swiftSettings: strict),
        .executableTarget(
            name: "BoxAgentCommand",
            dependencies: [
                "AgentClient", "AgentConfiguration", "AgentProtocol", "AgentSetup", "AuditLog", "ConfigurationFile",
                "EventLoop", "Secrets", "TextOutput", "CQREncode",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: strict),
        .executableTarget(
            name: "BoxPhoneCommand",
            dependencies: [
                "ConfigurationFile", "PhoneKit", "TransportBlueZ", "TransportLoopback", "EventLoop", "Normalization",
                "PhoneMessages", "SecureChannel", "Secrets", "TextOutput", "Transport", "Vault", "VaultPort",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: strict),
        .target(name: "WireEmbedded", swiftSettings: embedded),
        .target(name: "AgentProtocolEmbedded", dependencies: ["WireEmbedded"], swiftSettings: embedded),
        .target(
            name: "PAMLogicEmbedded", dependencies: ["AgentProtocolEmbedded"],
            swiftSettings: embedded + [.strictMemorySafety()]),
        .target(
            name: "PAMBoxAgent",
            dependencies: ["PAMLogicEmbedded", "AgentProtocolEmbedded", "WireEmbedded", "CPAM"],
            exclude: ["pam_boxagent.map"],
            swiftSettings: embedded),
        .executableTarget(
            name: "SessionHook",
            dependencies: ["PAMLogicEmbedded", "AgentProtocolEmbedded", "WireEmbedded", "CSessionHook"],
            swiftSettings: embedded),
        // Build tools
        .executableTarget(name: "embed-migrations", path: "Plugins/EmbedMigrationsTool", swiftSettings: strictTool),
        .plugin(name: "EmbedMigrations", capability: .buildTool(), dependencies: ["embed-migrations"]),
        // Tests
        .executableTarget(
            name: "HandshakeBenchmark", dependencies: ["SecureChannel", "Secrets"], path: "Tests/Benchmarks/Handshake",
            swiftSettings: strict),
        .target(name: "TestVectors", path: "Tests/Vectors/Reader", swiftSettings: strict),
        .target(
            name: "World",
            dependencies: [
                "AgentConfiguration", "AgentCore", "AgentProtocol", "AuditLog", "PhoneMessages", "Secrets", "Transport",
                "VaultPort", "TestSupport",
            ], path: "Tests/World/Model", swiftSettings: strict),
        .executableTarget(
            name: "boxagent-simulate", dependencies: ["World"], path: "Tests/World/Command", swiftSettings: strict),
        .target(name: "TestSupport", path: "Tests/Support", swiftSettings: strict),
        tests("Secrets", ["TestVectors"]),
        tests("Wire", ["TestSupport"]),
        tests("TextOutput"),
        tests("SecureChannel", ["Secrets", "TestVectors"]),
        tests("PhoneMessages", ["Wire", "Secrets", "SecureChannel", "Transport", "TestSupport"]),
        tests("AgentProtocol", ["Wire"]),
        tests("AgentClient", ["AgentProtocol", "Wire", "CLinux"]),
        tests("BoxLogin", ["AgentClient", "AgentProtocol", "Wire"]),
        tests("SessionHelper"),
        tests("AgentSetup"),
        tests("BoxAgentCommand", ["AgentClient", "AgentProtocol", "TextOutput", "AuditLog", "Secrets"]),
        tests("BoxPhoneCommand", ["ConfigurationFile", "PhoneKit", "PhoneMessages", "TextOutput"]),
        tests("PAMLogic", ["AgentProtocol"]),
        tests("Transport"),
        tests("EventLoop", ["loop-probe"]),
        .executableTarget(
            name: "loop-probe", dependencies: ["EventLoop"], path: "Tests/Probes/EventLoop", swiftSettings: strict),
        .executableTarget(
            name: "l2cap-probe", dependencies: ["EventLoop"], path: "Tests/Probes/L2CAP", swiftSettings: strict),
        tests("Normalization", ["Secrets", "TestVectors"]),
        tests("AuditLog", ["Secrets", "TestSupport"]),
        tests("VaultPort", ["PhoneMessages", "TestSupport"]),
        tests("Vault", ["AuditLog", "Secrets", "TestSupport", "VaultPort", "World"]),
        .target(
            name: "FaultyDisk", path: "Tests/Crash/FaultyDisk", linkerSettings: [.linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "VaultBenchmark", dependencies: ["Vault", "VaultPort", "Secrets", "EventLoop", "FaultyDisk"],
            path: "Tests/Benchmarks/Vault", swiftSettings: strict),
        .executableTarget(
            name: "VaultCrashDriver", dependencies: ["Vault", "VaultPort", "Secrets", "EventLoop", "FaultyDisk"],
            path: "Tests/Crash/VaultDriver", swiftSettings: strict),
        tests("TransportLoopback", ["Transport", "EventLoop"]),
        tests("DBus", ["EventLoop"]),
        tests("TransportBlueZ", ["DBus", "Transport"]),
        tests(
            "AgentCore",
            [
                "AgentConfiguration", "AgentProtocol", "AuditLog", "PhoneMessages", "SecureChannel", "Secrets",
                "Transport", "VaultPort", "TestSupport",
            ]),
        tests("Sessions", ["AgentCore", "DBus", "EventLoop"]),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["AgentConfiguration", "AgentCore", "PhoneKit", "TestSupport", "World"],
            path: "Tests/Simulation", swiftSettings: strict),
        tests("PhoneKit", ["Secrets", "SecureChannel", "PhoneMessages", "Vault", "VaultPort", "Transport", "Wire"]),
        tests(
            "BoxAgent",
            [
                "AgentCore", "PAMLogic", "Secrets", "SecureChannel", "PhoneMessages", "AgentProtocol", "EventLoop",
                "Sessions", "Transport", "Vault", "VaultPort", "AuditLog", "AgentConfiguration",
            ]),
        tests("AgentConfiguration", ["ConfigurationFile"]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

// Set by Scripts/mutants alone, which builds the machine that decides and its tests some thirty times.
if Context.environment["BOXAGENT_MUTANTS"] != nil {
    let tested = ["AgentCoreTests", "VaultPortTests", "boxagent-simulate"]
    var kept = Set(tested)
    var more = tested
    while let name = more.popLast() {
        for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
            guard case .byNameItem(let needed, _) = dependency, kept.insert(needed).inserted else { continue }
            more.append(needed)
        }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products = []
}

if isFuzzing {
    package.targets += [
        .target(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
        .executableTarget(
            name: "boxagent-fuzz",
            dependencies: [
                "CFuzzer", "Wire", "PhoneMessages", "SecureChannel", "Secrets", "AgentProtocol", "Transport",
                "CDBus", "DBus", "TransportBlueZ", "BoxLogin", "TextOutput", "BoxAgent", "Sessions",
                "TransportLoopback", "Vault", "VaultPort", "AgentCore", "AuditLog", "AgentConfiguration",
            ],
            path: "Tests/Fuzz/Targets", swiftSettings: strict,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),
    ]
}
