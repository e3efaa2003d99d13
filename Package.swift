// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A room of the house: a Swift target with the rules that hold for all of them.
func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// A target of tests, held to the same rules.
func proof(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

let package = Package(
    name: "sluice",
    products: [
        .library(name: "Sluice", targets: ["Sluice"]),
        .executable(name: "sluice", targets: ["SluiceCommand"]),
        .executable(name: "sluice-bench", targets: ["Benchmark"]),
    ],
    targets: [
        // The system, and what is drawn on it.
        .target(name: "CSystem"),
        room("Platform", ["CSystem"]),
        .target(
            name: "CCurses",
            linkerSettings: [.linkedLibrary("ncursesw"), .linkedLibrary("tinfo")]),
        room("TerminalUI", ["CSystem"]),
        room("TerminalCurses", ["TerminalUI", "CCurses", "CSystem", "Platform"]),
        // The core.
        room("QueueModel"),
        room("QueueStore", ["QueueModel", "Platform"]),
        room("QueueControl", ["QueueModel", "QueueStore", "Platform"]),
        room("QueueRunner", ["QueueModel", "QueueStore", "Platform"]),
        .target(name: "CCurl"),
        room("HTTPClient", ["CCurl", "Platform"]),
        room("QueueHandlers", ["QueueModel", "QueueRunner", "HTTPClient", "Platform", "CSystem"]),
        .target(name: "CPostgres"),
        room("PostgresClient", ["CPostgres", "Platform"]),
        room("RedisClient", ["Platform"]),
        .systemLibrary(name: "CSQLite"),
        room("SQLiteClient", ["CSQLite"]),
        room(
            "ForeignQueues",
            ["QueueModel", "Platform", "RedisClient", "PostgresClient", "SQLiteClient"]),
        .target(name: "CLogFile"),
        room("QueueStoreTables", ["QueueModel", "QueueStore", "Platform"]),
        room(
            "QueueStoreSQLite",
            [
                "QueueModel", "QueueStore", "QueueStoreTables", "Platform", "CSQLite", "CLogFile",
            ]),
        room(
            "QueueStorePostgres",
            ["QueueModel", "QueueStore", "QueueStoreTables", "PostgresClient", "Platform"]),
        room(
            "QueueStoreFolder",
            ["QueueModel", "QueueStore", "QueueStoreSQLite", "Platform", "CSystem"]),
        room(
            "QueueTransfer",
            [
                "QueueModel", "QueueStore", "QueueControl", "QueueStoreTables",
                "QueueStoreSQLite", "QueueStoreFolder", "Platform",
            ]),
        room(
            "Sluice",
            [
                "Platform", "QueueModel", "QueueStore", "QueueStoreSQLite", "QueueRunner",
                "QueueControl", "QueueTransfer",
            ]),
        // The library's example: a program that may be killed.
        .executableTarget(
            name: "UploaderExample", dependencies: ["Sluice"], swiftSettings: strict),
        room("Console", ["TerminalUI", "QueueModel", "QueueStore", "QueueControl"]),
        .executableTarget(
            name: "SluiceCommand",
            dependencies: [
                "Platform", "TerminalUI", "TerminalCurses", "Console", "QueueModel",
                "QueueStore", "QueueStoreSQLite", "QueueStoreFolder", "QueueStorePostgres",
                "QueueRunner", "QueueHandlers", "QueueControl", "QueueTransfer", "ForeignQueues",
            ],
            swiftSettings: strict),
        // What tests read a terminal with.
        .systemLibrary(name: "CVTerm"),
        room("TerminalHarness", ["CVTerm", "CSystem", "Platform"]),
        room("ProgramHarness", ["Platform", "QueueModel"]),
        // What is measured, beside a raw loop in C.
        .target(name: "CRawLoop", linkerSettings: [.linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "Benchmark",
            dependencies: [
                "CRawLoop", "CSystem", "Platform", "ProgramHarness", "QueueModel", "QueueStore",
                "QueueStoreSQLite", "QueueStorePostgres", "PostgresClient", "PostgresHarness",
                "QueueRunner", "QueueControl",
            ],
            exclude: ["Peers", "RawPrograms"],
            swiftSettings: strict),
        room("WebHarness", ["CSystem", "Platform"]),
        room("PostgresHarness", ["PostgresClient", "Platform"]),
        room("RedisHarness", ["RedisClient", "Platform", "CSystem"]),
        // The proofs.
        proof("PlatformTests", ["Platform", "CSystem"]),
        proof("TerminalUITests", ["TerminalUI"]),
        proof("RedisClientTests", ["RedisClient", "RedisHarness"]),
        proof(
            "ForeignQueuesTests",
            [
                "ForeignQueues", "QueueModel", "RedisClient", "RedisHarness", "SQLiteClient",
                "Platform",
            ]),
        proof(
            "ForeignTrialTests",
            [
                "ProgramHarness", "RedisHarness", "PostgresHarness", "QueueModel", "Platform",
                "SluiceCommand",
            ],
            exclude: ["Programs"]),
        proof("TerminalHarnessTests", ["TerminalHarness", "CVTerm", "Platform"]),
        proof("QueueModelTests", ["QueueModel"]),
        proof(
            "QueueStoreTests",
            [
                "QueueModel", "QueueStore", "QueueStoreSQLite", "QueueStoreFolder",
                "QueueStorePostgres", "PostgresHarness", "Platform",
            ]),
        proof(
            "QueueStorePostgresTests",
            [
                "QueueStorePostgres", "QueueStoreTables", "QueueStore", "QueueModel",
                "PostgresClient", "PostgresHarness", "ProgramHarness", "Platform",
            ]),
        proof(
            "QueueStoreSQLiteTests",
            [
                "QueueStoreSQLite", "QueueStoreTables", "QueueStore", "QueueModel",
                "ProgramHarness", "Platform",
            ]),
        proof(
            "OperationTests",
            [
                "QueueControl", "QueueRunner", "QueueStore", "QueueStoreFolder",
                "QueueStoreSQLite", "QueueStorePostgres", "PostgresHarness", "QueueModel",
                "Platform",
            ]),
        proof(
            "ConsoleTests",
            ["Console", "TerminalUI", "QueueControl", "QueueStore", "QueueModel"],
            exclude: ["Screens"]),
        proof(
            "CommandTests",
            [
                "SluiceCommand", "QueueControl", "QueueRunner", "QueueStore", "QueueModel",
                "Platform",
            ]),
        proof(
            "QueueHandlersTests",
            [
                "HTTPClient", "QueueModel", "QueueStore", "QueueStoreSQLite", "QueueRunner",
                "QueueHandlers", "WebHarness", "Platform",
            ]),
        proof(
            "QueueStoreFolderTests",
            [
                "QueueStoreFolder", "QueueStoreSQLite", "QueueControl", "QueueStore", "QueueModel",
                "Platform",
            ],
            exclude: ["Fixtures"]),
        proof(
            "QueueTransferTests",
            [
                "QueueTransfer", "QueueControl", "QueueStore", "QueueStoreFolder",
                "QueueStoreSQLite", "QueueStorePostgres", "PostgresHarness", "QueueModel",
                "Platform",
            ]),
        proof(
            "SimulationTests",
            [
                "QueueRunner", "QueueControl", "QueueStore", "QueueStoreSQLite", "QueueModel",
                "Platform",
            ]),
        proof(
            "EndToEndTests",
            [
                "ProgramHarness", "TerminalHarness", "WebHarness", "Platform", "QueueModel",
                "Sluice",
                "SluiceCommand", "UploaderExample",
            ]),
        proof(
            "CrashTests",
            [
                "ProgramHarness", "TerminalHarness", "WebHarness", "Platform", "QueueModel",
                "Sluice", "SluiceCommand", "UploaderExample",
            ]),
        proof(
            "ConsoleSoakTests",
            [
                "ProgramHarness", "TerminalHarness", "Platform", "QueueControl", "QueueStore",
                "QueueStoreSQLite", "QueueModel", "SluiceCommand",
            ]),
        proof(
            "ScreenshotTests",
            ["TerminalHarness", "ProgramHarness", "Platform", "QueueModel", "SluiceCommand"]),
        proof(
            "ManyMachinesTests",
            [
                "ProgramHarness", "TerminalHarness", "PostgresHarness", "CSystem", "Platform",
                "QueueModel", "SluiceCommand",
            ]),
        proof("LibraryTests", ["Sluice", "QueueStoreFolder", "Platform", "CSQLite"]),
        proof("BenchmarkTests", ["Benchmark", "QueueModel"]),
        proof("StyleTests", ["Platform", "QueueControl", "Console", "TerminalUI"]),
    ],
    swiftLanguageModes: [.v6]
)
