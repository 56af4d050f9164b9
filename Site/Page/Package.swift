// swift-tools-version: 6.2
import PackageDescription

// The page for a site's administrators. It is a separate package, so that nothing else resolves or builds its
// dependencies (docs/decisions/045-administrators.md).

/// The same settings as in the main package.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
]
let strictAndMemorySafe: [SwiftSetting] = strict + [.strictMemorySafety()]

/// Files that are embedded into the program.
let templates = [
    "add", "administrator", "administrators", "audit", "box", "box-add", "box-code", "box-codes", "box-codes-add",
    "box-waiting", "boxes", "confirm", "enrol", "enrolment", "enrolment-code", "grant", "layout", "message", "pages",
    "passkey", "people", "phone", "problem", "proposal", "proposals", "register", "sign-in", "status",
].map { "Templates/\($0).mustache" }
let assets = ["style.css", "page.js", "icon.svg", "en.po", "de.po", "ru.po"].map { "Assets/\($0)" }

let package = Package(
    name: "boxsite-page",
    dependencies: [
        .package(name: "boxagent", path: "../.."),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
    ],
    targets: [
        // The page's decisions: no socket, no thread, no HTTP.
        .target(
            name: "PageCore",
            dependencies: [
                .product(name: "SiteClient", package: "boxagent"), .product(name: "Crypto", package: "swift-crypto"),
            ], swiftSettings: strictAndMemorySafe),
        .testTarget(name: "PageCoreTests", dependencies: ["PageCore"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

// With BOXSITE_PAGE_CORE in the environment, only PageCore and its unit tests are built (Scripts/test-page).
if Context.environment["BOXSITE_PAGE_CORE"] == nil {
    package.dependencies += [
        // No traits: Hummingbird without its configuration support and without the parts that need all of Foundation.
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
    ]
    package.targets += [
        .executableTarget(
            name: "SitePage",
            dependencies: [
                "PageCore", .product(name: "SiteClient", package: "boxagent"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            resources: (templates + assets).map { .embedInCode($0) },
            swiftSettings: strict)
    ]
    package.products += [.executable(name: "boxsite-page", targets: ["SitePage"])]
}
