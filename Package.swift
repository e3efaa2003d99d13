// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// A target of Swift at a path of Sources, with the rules that hold for all of them.
func target(_ path: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name(path), dependencies: dependencies, path: "Sources/" + path,
        swiftSettings: strict)
}

/// A program, held to the same rules.
func program(
    _ path: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .executableTarget(
        name: name(path), dependencies: dependencies, path: "Sources/" + path, exclude: exclude,
        swiftSettings: strict)
}

/// A target of C.
func cTarget(_ path: String, linking libraries: [String] = []) -> Target {
    .target(
        name: name(path), path: "Sources/" + path,
        linkerSettings: libraries.map { .linkedLibrary($0) })
}

/// A library of the system, and the Debian package that has its headers.
func library(_ path: String, package: String) -> Target {
    .systemLibrary(name: name(path), path: "Sources/" + path, providers: [.apt([package])])
}

/// A target of tests, held to the same rules.
func testTarget(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

/// The last component of a path, which is the name of the module.
func name(_ path: String) -> String {
    String(path.split(separator: "/").last ?? "")
}

let package = Package(
    name: "sluice",
    products: [
        .library(name: "Sluice", targets: ["Sluice"]),
        .library(name: "SluicePostgres", targets: ["SluicePostgres"]),
        .library(name: "SluiceTesting", targets: ["SluiceTesting"]),
        .executable(name: "sluice", targets: ["SluiceCommand"]),
        .executable(name: "sluice-bench", targets: ["SluiceBenchmark"]),
    ],
    targets: [
        // System: what lies outside: the kernel, libraries of C, servers.
        cTarget("System/SluiceCSystem"),
        target("System/SluicePlatform", ["SluiceCSystem"]),
        cTarget("System/SluiceCCurl"),
        target("System/SluiceHTTPClient", ["SluiceCCurl", "SluicePlatform"]),
        cTarget("System/SluiceCPostgres"),
        target("System/SluicePostgresClient", ["SluiceCPostgres", "SluicePlatform"]),
        cTarget("System/SluiceCMariaDB"),
        target("System/SluiceMariaDBClient", ["SluiceCMariaDB", "SluicePlatform"]),
        target("System/SluiceRedisClient", ["SluicePlatform", "SluiceCCurl"]),
        library("System/SluiceCSQLite", package: "libsqlite3-dev"),
        target("System/SluiceSQLiteClient", ["SluiceCSQLite"]),
        library("System/SluiceCZlib", package: "zlib1g-dev"),
        // Core: the rules, the contract of a store, the verbs, the runner.
        target("Core/SluiceModel"),
        target("Core/SluiceStore", ["SluiceModel", "SluicePlatform"]),
        target("Core/SluiceControl", ["SluiceModel", "SluiceStore", "SluicePlatform"]),
        target("Core/SluiceRunner", ["SluiceModel", "SluiceStore", "SluicePlatform"]),
        target(
            "Core/SluiceMetrics",
            ["SluiceModel", "SluiceStore", "SluiceRunner", "SluicePlatform"]),
        // Stores: where queues are kept.
        target("Stores/SluiceTables", ["SluiceModel", "SluiceStore", "SluicePlatform"]),
        cTarget("Stores/SluiceCLogFile"),
        target(
            "Stores/SluiceSQLiteStore",
            [
                "SluiceModel", "SluiceStore", "SluiceTables", "SluicePlatform", "SluiceCSQLite",
                "SluiceCLogFile",
            ]),
        target(
            "Stores/SluicePostgresStore",
            [
                "SluiceModel", "SluiceStore", "SluiceTables", "SluicePostgresClient",
                "SluicePlatform",
            ]),
        target(
            "Stores/SluiceFolderStore",
            ["SluiceModel", "SluiceStore", "SluiceSQLiteStore", "SluicePlatform", "SluiceCSystem"]),
        target(
            "Stores/SluiceForeignQueues",
            [
                "SluiceModel", "SluiceStore", "SluicePlatform", "SluiceRedisClient",
                "SluicePostgresClient", "SluiceSQLiteClient", "SluiceHTTPClient",
                "SluiceMariaDBClient", "SluiceCZlib",
            ]),
        target(
            "Stores/SluiceTransfer",
            [
                "SluiceModel", "SluiceStore", "SluiceControl", "SluiceTables", "SluiceSQLiteStore",
                "SluiceFolderStore", "SluicePlatform",
            ]),
        target(
            "Stores/SluiceTapes",
            ["SluiceModel", "SluiceStore", "SluiceTables", "SluicePlatform"]),
        // Library: what an app imports.
        target(
            "Library/Sluice",
            [
                "SluicePlatform", "SluiceModel", "SluiceStore", "SluiceSQLiteStore",
                "SluiceRunner", "SluiceControl", "SluiceMetrics", "SluiceTapes", "SluiceReports",
            ]),
        target(
            "Library/SluicePostgres",
            ["Sluice", "SluicePostgresStore", "SluicePlatform"]),
        target("Library/SluiceTesting", ["Sluice", "SluicePlatform"]),
        // Terminal: what is drawn.
        cTarget("Terminal/SluiceCCurses", linking: ["ncursesw", "tinfo"]),
        target("Terminal/SluiceTerminalUI", ["SluiceCSystem"]),
        target(
            "Terminal/SluiceTerminalCurses",
            ["SluiceTerminalUI", "SluiceCCurses", "SluiceCSystem", "SluicePlatform"]),
        target(
            "Terminal/SluiceConsole",
            ["SluiceTerminalUI", "SluiceModel", "SluiceStore", "SluiceControl"]),
        target(
            "Terminal/SluiceReports",
            [
                "SluiceTerminalUI", "SluiceModel", "SluiceStore", "SluiceControl", "SluicePlatform",
            ]),
        // Program: the command `sluice` and its handlers.
        target(
            "Program/SluiceHandlers",
            [
                "SluiceModel", "SluiceStore", "SluiceRunner", "SluiceTapes", "SluiceHTTPClient",
                "SluicePlatform", "SluiceCSystem",
            ]),
        program(
            "Program/SluiceCommand",
            [
                "SluicePlatform", "SluiceTerminalUI", "SluiceTerminalCurses", "SluiceConsole",
                "SluiceModel", "SluiceStore", "SluiceSQLiteStore", "SluiceFolderStore",
                "SluicePostgresStore", "SluiceRunner", "SluiceHandlers", "SluiceControl",
                "SluiceMetrics", "SluiceTransfer", "SluiceForeignQueues", "SluiceTapes",
                "SluiceReports",
            ]),
        // Testing: what tests drive programs, terminals and servers with.
        program("Testing/SluiceUploaderExample", ["Sluice"]),
        program("Testing/SluiceServiceExample", ["Sluice", "SluicePlatform"]),
        library("Testing/SluiceCVTerm", package: "libvterm-dev"),
        target(
            "Testing/SluiceTerminalHarness", ["SluiceCVTerm", "SluiceCSystem", "SluicePlatform"]),
        target("Testing/SluiceProgramHarness", ["SluicePlatform", "SluiceModel"]),
        target("Testing/SluiceWebHarness", ["SluiceCSystem", "SluicePlatform"]),
        target("Testing/SluicePostgresHarness", ["SluicePostgresClient", "SluicePlatform"]),
        target(
            "Testing/SluiceRedisHarness", ["SluiceRedisClient", "SluicePlatform", "SluiceCSystem"]),
        target(
            "Testing/SluiceMariaDBHarness",
            ["SluiceMariaDBClient", "SluicePlatform", "SluiceCSystem"]),
        // Bench: what is measured, beside a raw loop in C.
        cTarget("Bench/SluiceCRawLoop", linking: ["sqlite3"]),
        program(
            "Bench/SluiceBenchmark",
            [
                "SluiceCRawLoop", "SluiceCSystem", "SluicePlatform", "SluiceProgramHarness",
                "SluiceModel", "SluiceStore", "SluiceSQLiteStore", "SluicePostgresStore",
                "SluicePostgresClient", "SluicePostgresHarness", "SluiceRunner", "SluiceControl",
                "SluiceTapes",
            ], exclude: ["Peers", "RawPrograms"]),
        // The tests.
        testTarget("PlatformTests", ["SluicePlatform", "SluiceCSystem"]),
        testTarget("TerminalUITests", ["SluiceTerminalUI", "SluiceCCurses"]),
        testTarget(
            "RedisClientTests", ["SluiceRedisClient", "SluiceRedisHarness", "SluicePlatform"]),
        testTarget(
            "ForeignQueuesTests",
            [
                "SluiceForeignQueues", "SluiceModel", "SluiceStore", "SluiceControl",
                "SluiceRedisClient", "SluiceRedisHarness", "SluiceSQLiteClient", "SluicePlatform",
                "SluicePostgresHarness", "SluiceTapes", "SluiceWebHarness",
                "SluiceMariaDBClient", "SluiceMariaDBHarness",
            ],
            exclude: ["Fixtures"]),
        testTarget(
            "ForeignTrialTests",
            [
                "SluiceProgramHarness", "SluiceTerminalHarness", "SluiceRedisHarness",
                "SluiceRedisClient", "SluicePostgresHarness", "SluiceMariaDBHarness",
                "SluiceModel", "SluicePlatform", "SluiceCommand",
            ],
            exclude: ["Programs"]),
        testTarget(
            "TerminalHarnessTests", ["SluiceTerminalHarness", "SluiceCVTerm", "SluicePlatform"]),
        testTarget(
            "QueueModelTests", ["SluiceModel", "SluicePlatform"], exclude: ["Fixtures"]),
        testTarget(
            "QueueStoreTests",
            [
                "SluiceModel", "SluiceStore", "SluiceSQLiteStore", "SluiceFolderStore",
                "SluicePostgresStore", "SluicePostgresHarness", "SluicePlatform",
            ]),
        testTarget(
            "QueueStorePostgresTests",
            [
                "SluicePostgresStore", "SluiceTables", "SluiceStore", "SluiceModel",
                "SluicePostgresClient", "SluicePostgresHarness", "SluiceProgramHarness",
                "SluicePlatform", "Sluice", "SluicePostgres",
            ]),
        testTarget(
            "QueueStoreSQLiteTests",
            [
                "SluiceSQLiteStore", "SluiceTables", "SluiceStore", "SluiceModel",
                "SluiceProgramHarness", "SluicePlatform", "SluiceCSQLite",
            ]),
        testTarget(
            "OperationTests",
            [
                "SluiceControl", "SluiceRunner", "SluiceStore", "SluiceFolderStore",
                "SluiceSQLiteStore", "SluicePostgresStore", "SluicePostgresHarness", "SluiceModel",
                "SluicePlatform", "SluiceTapes", "SluiceSQLiteClient",
            ],
            exclude: ["Stores"]),
        testTarget(
            "ConsoleTests",
            ["SluiceConsole", "SluiceTerminalUI", "SluiceControl", "SluiceStore", "SluiceModel"],
            exclude: ["Screens"]),
        testTarget(
            "CommandTests",
            [
                "SluiceCommand", "SluiceControl", "SluiceMetrics", "SluiceRunner", "SluiceStore",
                "SluiceModel", "SluicePlatform", "SluiceTapes", "SluiceReports",
                "SluiceForeignQueues", "SluiceSQLiteClient", "SluiceConsole", "SluiceTerminalUI",
            ]),
        testTarget(
            "QueueHandlersTests",
            [
                "SluiceHTTPClient", "SluiceModel", "SluiceStore", "SluiceSQLiteStore",
                "SluiceRunner", "SluiceHandlers", "SluiceTapes", "SluiceWebHarness",
                "SluicePlatform",
            ]),
        testTarget(
            "QueueStoreFolderTests",
            [
                "SluiceFolderStore", "SluiceSQLiteStore", "SluiceControl", "SluiceStore",
                "SluiceModel", "SluicePlatform",
            ],
            exclude: ["Fixtures"]),
        testTarget(
            "QueueTransferTests",
            [
                "SluiceTransfer", "SluiceControl", "SluiceStore", "SluiceFolderStore",
                "SluiceSQLiteStore", "SluicePostgresStore", "SluicePostgresHarness", "SluiceModel",
                "SluicePlatform",
            ]),
        testTarget(
            "SimulationTests",
            [
                "SluiceRunner", "SluiceControl", "SluiceStore", "SluiceSQLiteStore", "SluiceModel",
                "SluicePlatform",
            ]),
        testTarget(
            "EndToEndTests",
            [
                "SluiceProgramHarness", "SluiceTerminalHarness", "SluiceWebHarness",
                "SluicePostgresHarness", "SluicePlatform", "SluiceModel", "Sluice", "SluiceCommand",
                "SluiceControl", "SluiceUploaderExample", "SluiceServiceExample",
            ]),
        testTarget(
            "CrashTests",
            [
                "SluiceProgramHarness", "SluiceTerminalHarness", "SluiceWebHarness",
                "SluicePlatform", "SluiceModel", "Sluice", "SluiceCommand",
                "SluiceUploaderExample",
            ]),
        testTarget(
            "ConsoleSoakTests",
            [
                "SluiceProgramHarness", "SluiceTerminalHarness", "SluicePlatform", "SluiceControl",
                "SluiceStore", "SluiceSQLiteStore", "SluiceModel", "SluiceCommand",
            ]),
        testTarget(
            "ScreenshotTests",
            [
                "SluiceTerminalHarness", "SluiceProgramHarness", "SluicePlatform", "SluiceModel",
                "SluiceCommand",
            ]),
        testTarget(
            "ManyMachinesTests",
            [
                "SluiceProgramHarness", "SluiceTerminalHarness", "SluicePostgresHarness",
                "SluiceCSystem", "SluicePlatform", "SluiceModel", "SluiceCommand",
            ]),
        testTarget(
            "LibraryTests",
            ["Sluice", "SluiceTesting", "SluiceFolderStore", "SluicePlatform", "SluiceCSQLite"]),
        testTarget("BenchmarkTests", ["SluiceBenchmark", "SluiceModel"]),
        testTarget(
            "StyleTests",
            [
                "SluicePlatform", "SluiceControl", "SluiceConsole", "SluiceTerminalUI",
                "SluiceMetrics", "SluiceStore", "SluiceModel",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
