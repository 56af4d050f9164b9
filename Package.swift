// swift-tools-version: 6.2
import PackageDescription

/// Set by Scripts/fuzz alone: libFuzzer needs flags that no package which others depend on may have.
let isFuzzing = Context.environment["BOXAGENT_FUZZ"] != nil
/// For libFuzzer and the address sanitizer; fuzzers reach what is internal as tests do (`@testable`).
let instrumented: [SwiftSetting] = isFuzzing ? [.unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing"])] : []

/// Every Swift target: no warnings, and async functions stay on their caller's executor, so that the daemon keeps one thread.
let strictTool: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
]

/// Set by Scripts/web and Scripts/build-embedded: builds the phone's core, and the greeter, as Embedded Swift.
let isEmbedded = Context.environment["BOXAGENT_EMBEDDED"] != nil
let host: [SwiftSetting] = isEmbedded ? [.enableExperimentalFeature("Embedded")] : []

/// The same for all that is fuzzed; tools that run during the build have no fuzzer to link with.
let strict = strictTool + instrumented + host
/// Parsers of bytes from outside: the compiler refuses every unsafe construct in them.
let strictAndMemorySafe: [SwiftSetting] = strict + [.strictMemorySafety()]
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
/// The PAM module is loaded into other people's programs: no runtime, no libraries but libc and libpam.
let embedded: [SwiftSetting] = strict + [.enableExperimentalFeature("Embedded")]
/// Commands that a person starts, and code that a daemon runs a few times a login: small before fast.
let small: [SwiftSetting] = strict + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

/// The dependencies that a text names, with blanks between them.
func named(_ text: String) -> [Target.Dependency] {
    text.split(separator: " ").map { $0 == "ArgumentParser" ? argumentParser : .init(stringLiteral: String($0)) }
}

func target(_ name: String, _ needs: String..., settings: [SwiftSetting] = strict) -> Target {
    .target(name: name, dependencies: needs.flatMap(named), swiftSettings: settings)
}

func program(_ name: String, _ needs: String..., settings: [SwiftSetting] = strict) -> Target {
    .executableTarget(name: name, dependencies: needs.flatMap(named), swiftSettings: settings)
}

func tests(_ name: String, _ needs: String...) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: named(name) + needs.flatMap(named), path: "Tests/\(name)",
        swiftSettings: strict)
}

func probe(_ name: String, _ dependencies: [Target.Dependency], in folder: String) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Tests/Probes/\(folder)", swiftSettings: strict)
}

let package = Package(
    name: "boxagent",
    products: [
        .library(name: "SecureChannel", targets: ["SecureChannel", "Secrets"]),
        .library(name: "Vault", targets: ["Vault", "VaultPort", "AuditLog", "Names", "Secrets"]),
        .library(name: "PhoneKit", targets: ["PhoneKit"]),
        .library(name: "PhoneMessages", targets: ["PhoneMessages", "Names", "Secrets", "Wire"]),
        .library(name: "Transport", targets: ["Transport", "Links"]),
        .library(
            name: "SiteClient",
            targets: [
                "ConfigurationFile", "ControlProtocol", "DaemonTool", "EventLoop", "Names", "QRModules", "SiteControl",
                "TextOutput", "Wire",
            ]),
        .library(name: "pam_boxagent", type: .dynamic, targets: ["PAMBoxAgent"]),
        .executable(name: "boxagentd", targets: ["BoxAgentDaemon"]),
        .executable(name: "boxagent", targets: ["BoxAgentCommand"]),
        .executable(name: "boxlogin", targets: ["BoxLoginCommand"]),
        .executable(name: "session-hook", targets: ["SessionHook"]),
        .executable(name: "boxagent-session", targets: ["SessionHelperCommand"]),
        .executable(name: "boxsited", targets: ["SiteServerDaemon"]),
        .executable(name: "boxsite", targets: ["SiteCommand"]),
        .executable(name: "boxsite-directory", targets: ["SiteDirectory"]),
        .executable(name: "boxphone", targets: ["BoxPhoneCommand"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ],
    targets: [
        // Module maps and static-inline shims.
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
        .target(name: "CPAM", linkerSettings: [.linkedLibrary("pam")]),
        .target(name: "CSessionHook"),
        .target(name: "CBoxLogin"),
        .target(name: "CSessionHelper", linkerSettings: [.linkedLibrary("pam")]),
        .target(name: "CLinux"),
        .target(name: "CBluetooth"),
        .target(name: "CTCP"),
        .target(name: "CDirectory", linkerSettings: [.linkedLibrary("pam")]),
        .target(name: "CTOML"),
        target("Secrets", "CSodium"),
        target("Names", settings: strictAndMemorySafe),
        target("Wire", settings: strictAndMemorySafe),
        target("TextOutput", settings: strictAndMemorySafe),
        target("OpenMetrics"),
        target("AgentSetup", settings: small + [.strictMemorySafety()]),
        target("ConfigurationFile", "CTOML", settings: small),
        target("DaemonTool", "TextOutput"),
        // What ArgumentParser takes from FoundationEssentials; see Scripts/build.
        target("LeanFoundation", settings: strictAndMemorySafe),
        target("PasswordHashing", "CSodium Secrets"),
        target("SecureChannel", "Names Secrets"),
        target("SiteTrust", "Names Secrets", settings: strictAndMemorySafe),
        target("SiteLink", "Names PhoneMessages Secrets SecureChannel SiteTrust", settings: strictAndMemorySafe),
        target(
            "SiteCore", "AuditLog Names PhoneMessages Secrets SecureChannel SiteLink SiteTrust VaultPort",
            settings: strictAndMemorySafe),
        target("CommandTool", "ConfigurationFile ArgumentParser", settings: small),
        target("QRModules", "CQREncode"),
        target("CodeDrawing", "AgentClient CommandTool QRModules", settings: small),
        target("SiteControl", "ControlProtocol Wire", settings: strictAndMemorySafe),
        .target(
            name: "SiteStore",
            dependencies: ["AuditLog", "Names", "PostgreSQL", "Secrets", "SiteCore", "SiteLink", "SiteTrust"],
            swiftSettings: strict, plugins: ["EmbedMigrations"]),
        target(
            "SiteSetup",
            "AuditLog ConfigurationFile EventLoop PostgreSQL Secrets SiteCore SiteLink SiteStore SiteTrust VaultPort",
            settings: small),
        target(
            "SiteServer",
            "AuditLog ControlProtocol DaemonTool EventLoop OpenMetrics Names PhoneMessages",
            "PostgreSQL Secrets SecureChannel SiteControl SiteCore SiteLink SiteSetup SiteStore SiteTrust TCP",
            "Wire", settings: small),
        program("SiteServerDaemon", "SiteServer"),
        program(
            "SiteCommand",
            "AuditLog CodeDrawing CommandTool ConfigurationFile ControlProtocol EventLoop LeanFoundation",
            "PostgreSQL SiteControl SiteCore SiteLink SiteSetup SiteStore SiteTrust TextOutput Wire",
            "ArgumentParser", settings: small),
        target("PhoneMessages", "Names Wire Secrets", settings: strictAndMemorySafe),
        target("PAMProtocol", "Names Wire", settings: strictAndMemorySafe),
        target("ControlProtocol", "Names Wire", settings: small + [.strictMemorySafety()]),
        target("Links", settings: strictAndMemorySafe),
        target("GATTProfile", settings: strictAndMemorySafe),
        target("EventLoop", "CLinux"),
        target("Normalization", "Secrets CUTF8Proc"),
        target("AuditLog", "Names Secrets", settings: strictAndMemorySafe),
        target("VaultPort", "AuditLog Names Secrets", settings: strictAndMemorySafe),
        target("Transport", "Links", settings: strictAndMemorySafe),
        target("AgentClient", "ControlProtocol Wire CLinux"),
        target("PAMLogic", "PAMProtocol", settings: strictAndMemorySafe),
        target("DBus", "CDBus EventLoop", settings: small),
        target("PostgreSQL", "CPostgreSQL EventLoop TextOutput"),
        target("Bluetooth", "CBluetooth EventLoop"),
        target("TCP", "CTCP EventLoop"),
        program("SiteDirectory", "CDirectory ControlProtocol DaemonTool EventLoop SiteControl Wire"),
        target("AgentConfiguration", "ConfigurationFile Names PhoneMessages VaultPort", settings: small),
        .target(
            name: "Vault", dependencies: ["AuditLog", "Names", "PasswordHashing", "Secrets", "VaultPort", "CSQLite"],
            swiftSettings: small, plugins: ["EmbedMigrations"]),
        target("TransportLoopback", "Transport Links GATTProfile EventLoop", settings: small),
        target("TransportBlueZ", "Transport Links GATTProfile Bluetooth DBus EventLoop", settings: small),
        target(
            "PhoneCore", "Links Names PhoneMessages Secrets SecureChannel SiteTrust VaultPort",
            settings: strictAndMemorySafe),
        target("BoxLogin", "AgentClient CBoxLogin ControlProtocol Names TextOutput Wire"),
        target("SessionHelper", "ControlProtocol CSessionHelper DBus EventLoop Secrets TextOutput Wire"),
        target(
            "AgentCore",
            "AgentConfiguration AuditLog ControlProtocol Links Names PAMProtocol PhoneMessages Secrets",
            "SecureChannel SiteLink SiteTrust TextOutput VaultPort", settings: small + [.strictMemorySafety()]),
        target("PhoneABI", "PhoneCore Links Names PhoneMessages Secrets SecureChannel VaultPort Wire"),
        target("PhoneKit", "PhoneCore PhoneMessages Vault VaultPort Transport Links Secrets"),
        target("Sessions", "AgentCore DBus EventLoop", settings: small),
        target(
            "BoxAgent",
            "AgentCore AuditLog PasswordHashing Secrets SecureChannel PhoneMessages ControlProtocol Names",
            "PAMProtocol Transport Links EventLoop Vault VaultPort TransportLoopback TransportBlueZ Sessions",
            "TextOutput Wire AgentConfiguration DaemonTool OpenMetrics SiteLink TCP", settings: small),
        program("BoxAgentDaemon", "BoxAgent"),
        program("SessionHelperCommand", "SessionHelper"),
        program("BoxLoginCommand", "BoxLogin"),
        program(
            "BoxAgentCommand",
            "AgentClient AgentConfiguration CommandTool ControlProtocol AgentSetup AuditLog CodeDrawing",
            "ConfigurationFile EventLoop LeanFoundation Names Secrets TextOutput ArgumentParser", settings: small),
        program(
            "BoxPhoneCommand",
            "CommandTool ConfigurationFile PhoneCore PhoneKit TransportBlueZ TransportLoopback EventLoop",
            "LeanFoundation Normalization PhoneMessages SecureChannel Secrets TextOutput Transport GATTProfile",
            "Vault VaultPort ArgumentParser", settings: small),
        // Without what the PAM module has no use for.
        .target(
            name: "NamesEmbedded",
            exclude: ["CredentialMode.swift", "CrockfordBase32.swift", "DeviceID.swift", "UserName+Printable.swift"],
            swiftSettings: embedded),
        target("WireEmbedded", settings: embedded),
        target("PAMProtocolEmbedded", "NamesEmbedded WireEmbedded", settings: embedded),
        target("PAMLogicEmbedded", "PAMProtocolEmbedded", settings: embedded + [.strictMemorySafety()]),
        .target(
            name: "PAMBoxAgent",
            dependencies: ["PAMLogicEmbedded", "PAMProtocolEmbedded", "NamesEmbedded", "WireEmbedded", "CPAM"],
            exclude: ["pam_boxagent.map"], swiftSettings: embedded),
        program("SessionHook", "PAMLogicEmbedded PAMProtocolEmbedded WireEmbedded CSessionHook", settings: embedded),
        .executableTarget(name: "embed-migrations", path: "Plugins/EmbedMigrationsTool", swiftSettings: strictTool),
        .plugin(name: "EmbedMigrations", capability: .buildTool(), dependencies: ["embed-migrations"]),
        .executableTarget(
            name: "HandshakeBenchmark", dependencies: ["SecureChannel", "Secrets"], path: "Tests/Benchmarks/Handshake",
            swiftSettings: strict),
        .target(name: "TestVectors", path: "Tests/Vectors/Reader", swiftSettings: strict),
        .target(
            name: "VaultModel", dependencies: ["AuditLog", "Names", "Secrets", "VaultPort"],
            path: "Tests/World/VaultModel", swiftSettings: strict),
        .target(
            name: "World",
            dependencies: [
                "AgentConfiguration", "AgentCore", "AuditLog", "ControlProtocol", "Links", "Names", "PAMProtocol",
                "PhoneCore", "PhoneMessages", "SecureChannel", "Secrets", "VaultModel", "VaultPort", "TestSupport",
            ], path: "Tests/World/Model", swiftSettings: strict),
        .executableTarget(
            name: "boxagent-simulate", dependencies: ["World"], path: "Tests/World/Command", swiftSettings: strict),
        .target(name: "TestSupport", path: "Tests/Support", swiftSettings: strict),
        tests("Secrets", "TestVectors"),
        tests("PasswordHashing", "Secrets TestVectors"),
        tests("Wire", "TestSupport"),
        tests("SecureChannel", "Secrets TestVectors"),
        tests("SiteTrust", "Secrets TestSupport TestVectors"),
        tests("SiteLink", "PhoneMessages Secrets SecureChannel SiteTrust TestSupport TestVectors"),
        tests("SiteCore", "AuditLog PhoneMessages Secrets SecureChannel SiteLink SiteTrust TestSupport VaultPort"),
        tests("SiteDirectory", "SiteControl"),
        tests("PhoneMessages", "Wire Secrets SecureChannel Links GATTProfile TestSupport"),
        tests("PhoneABI", "PhoneCore TestSupport Wire"),
        tests("PAMProtocol", "Names Wire"),
        tests("ControlProtocol", "Names TestSupport Wire"),
        tests("AgentClient", "ControlProtocol Wire CLinux"),
        tests("BoxLogin", "AgentClient ControlProtocol Wire"),
        tests("BoxAgentCommand", "AgentClient AuditLog CodeDrawing CommandTool ControlProtocol Secrets TextOutput"),
        tests("BoxPhoneCommand", "ConfigurationFile Links PhoneCore PhoneKit PhoneMessages TextOutput"),
        tests("PAMLogic", "PAMProtocol"),
        tests("Links", "GATTProfile"),
        .target(
            name: "MessageLinks", dependencies: ["Transport", "Links"], path: "Tests/Radios/Messages",
            swiftSettings: strictAndMemorySafe),
        tests("EventLoop", "loop-probe"),
        probe("loop-probe", ["EventLoop"], in: "EventLoop"),
        probe("site-load", ["EventLoop", "Secrets", "SecureChannel", "SiteLink", "SiteTrust", "TCP"], in: "SiteLoad"),
        probe("l2cap-probe", ["Bluetooth", "EventLoop"], in: "L2CAP"),
        tests("Normalization", "Secrets TestVectors"),
        tests("AuditLog", "Names Secrets TestSupport"),
        tests("VaultPort", "PhoneMessages TestSupport"),
        tests("Vault", "AuditLog Names PasswordHashing RecordingDisk Secrets TestSupport VaultModel VaultPort"),
        .target(name: "RecordingDisk", path: "Tests/Crash/RecordingDisk", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "FaultyDisk", path: "Tests/Crash/FaultyDisk", linkerSettings: [.linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "VaultBenchmark",
            dependencies: ["PasswordHashing", "Vault", "VaultPort", "Secrets", "EventLoop", "FaultyDisk"],
            path: "Tests/Benchmarks/Vault", swiftSettings: strict),
        .executableTarget(
            name: "VaultCrashDriver",
            dependencies: ["Names", "PasswordHashing", "Vault", "VaultPort", "Secrets", "EventLoop", "FaultyDisk"],
            path: "Tests/Crash/VaultDriver", swiftSettings: strict),
        tests("TransportLoopback", "Transport Links GATTProfile EventLoop MessageLinks"),
        tests("DBus", "EventLoop"),
        tests("PostgreSQL", "CLinux EventLoop database-probe"),
        probe("database-probe", ["PostgreSQL", "EventLoop"], in: "PostgreSQL"),
        tests("Bluetooth", "EventLoop"),
        tests("TCP", "EventLoop"),
        tests("TransportBlueZ", "DBus Links"),
        tests(
            "AgentCore",
            "AgentConfiguration AuditLog ControlProtocol Links Names PAMProtocol PhoneMessages SecureChannel",
            "Secrets SiteLink SiteTrust VaultModel VaultPort TestSupport World"),
        tests("Sessions", "AgentCore DBus EventLoop"),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["AgentConfiguration", "AgentCore", "PhoneCore", "TestSupport", "World"],
            path: "Tests/Simulation", swiftSettings: strict),
        tests("PhoneCore", "Links Names PhoneMessages SecureChannel Secrets SiteTrust TestSupport VaultPort Wire"),
        tests(
            "PhoneKit",
            "Names Secrets SecureChannel PhoneMessages Vault VaultPort Transport Links GATTProfile MessageLinks",
            "PhoneCore SiteTrust Wire"),
        tests(
            "BoxAgent",
            "AgentCore Secrets SecureChannel PhoneMessages PAMProtocol EventLoop Sessions SiteLink SiteTrust TCP",
            "Transport Vault VaultPort AuditLog AgentConfiguration TestSupport"),
        tests("AgentConfiguration", "ConfigurationFile DaemonTool"),
        .target(
            name: "TransportMemory", dependencies: ["Transport", "Links"], path: "Tests/Radios/Memory",
            swiftSettings: strict),
        .testTarget(
            name: "RadiosTests",
            dependencies: [
                "TransportMemory", "Transport", "Links", "PhoneCore", "PhoneKit", "PhoneMessages", "BoxAgent",
                "AgentConfiguration", "AgentCore", "ControlProtocol", "EventLoop", "Names", "PAMProtocol", "Secrets",
                "Sessions", "Vault", "VaultPort", "Wire",
            ], path: "Tests/Radios/Login", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

package.targets += ["Names", "TextOutput", "SessionHelper", "AgentSetup", "LeanFoundation", "GATTProfile"]
    .map { tests($0) }

/// Leaves these targets and what they need.
@MainActor func keep(only wanted: [String]) {
    var (kept, more, packages) = (Set(wanted), wanted, Set<String>())
    while let name = more.popLast() {
        guard let target = package.targets.first(where: { $0.name == name }) else { continue }
        var needs: [String] = []
        for case .byNameItem(let needed, _) in target.dependencies { needs.append(needed) }
        for case .plugin(let needed, _) in target.plugins ?? [] { needs.append(needed) }
        for case .productItem(_, let needed?, _, _) in target.dependencies { packages.insert(needed) }
        more += needs.filter { kept.insert($0).inserted }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    if packages.isEmpty { package.dependencies = [] }
    package.products.removeAll {
        !kept.isSuperset(of: ($0 as? Product.Executable)?.targets ?? ($0 as? Product.Library)?.targets ?? [])
    }
}

// Set by Scripts/mutants, which builds some targets and their tests many times, and by Scripts/build-demo: their names.
if let wanted = Context.environment["BOXAGENT_ONLY"] { keep(only: wanted.split(separator: " ").map(String.init)) }

// Set by Scripts/test, for the thread sanitizer: names of tests that have one thread.
if let unwanted = Context.environment["BOXAGENT_WITHOUT_TESTS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.isTest && unwanted.contains($0.name) }
}
if isEmbedded {
    keep(only: ["PhoneABI", "BoxLoginCommand", "SiteTrust"])
    package.products += [.library(name: "PhoneABI", type: .static, targets: ["PhoneABI"])]
}

if isFuzzing {
    package.targets += [
        .target(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
        .executableTarget(
            name: "boxagent-fuzz",
            dependencies: [
                "CFuzzer", "Wire", "PhoneMessages", "SecureChannel", "Secrets", "ControlProtocol", "PAMProtocol",
                "Links", "GATTProfile", "CDBus", "DBus", "TransportBlueZ", "BoxLogin", "TextOutput", "BoxAgent",
                "Sessions", "TransportLoopback", "Vault", "VaultPort", "AgentCore", "AuditLog", "AgentConfiguration",
                "Names", "PhoneABI", "SiteCore", "SiteLink", "SiteTrust",
            ], path: "Tests/Fuzz/Targets", swiftSettings: strict,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),
    ]
}
