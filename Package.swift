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
        cTarget("System/SluiceC"),
        library("System/SluiceCSQLite", package: "libsqlite3-dev"),
        library("System/SluiceCZlib", package: "zlib1g-dev"),
        target("System/SluiceSystem", ["SluiceC", "SluiceCSQLite"]),
        // Core: the rules, the contract of a store, the verbs, the runner.
        target("Core/SluiceModel"),
        target("Core/SluiceStore", ["SluiceModel", "SluiceSystem"]),
        target("Core/SluiceControl", ["SluiceModel", "SluiceStore", "SluiceSystem"]),
        target("Core/SluiceRunner", ["SluiceModel", "SluiceStore", "SluiceSystem"]),
        // Stores: where queues are kept.
        cTarget("Stores/SluiceCLogFile"),
        target(
            "Stores/SluiceSQL",
            ["SluiceModel", "SluiceStore", "SluiceSystem", "SluiceCSQLite", "SluiceCLogFile"]),
        target(
            "Stores/SluiceFolderStore",
            ["SluiceModel", "SluiceStore", "SluiceSQL", "SluiceSystem", "SluiceC"]),
        target(
            "Stores/SluiceForeignQueues",
            ["SluiceModel", "SluiceStore", "SluiceSystem", "SluiceCZlib"]),
        target(
            "Stores/SluiceTransfer",
            [
                "SluiceModel", "SluiceStore", "SluiceControl", "SluiceSQL", "SluiceFolderStore",
                "SluiceSystem",
            ]),
        target("Stores/SluiceTapes", ["SluiceModel", "SluiceStore", "SluiceSQL", "SluiceSystem"]),
        // Library: what an app imports.
        target(
            "Library/Sluice",
            [
                "SluiceSystem", "SluiceModel", "SluiceStore", "SluiceSQL", "SluiceRunner",
                "SluiceControl", "SluiceTapes", "SluiceReports",
            ]),
        target("Library/SluicePostgres", ["Sluice", "SluiceSQL", "SluiceSystem"]),
        target("Library/SluiceTesting", ["Sluice", "SluiceSystem"]),
        // Terminal: what is drawn.
        cTarget("Terminal/SluiceCCurses", linking: ["ncursesw", "tinfo"]),
        target("Terminal/SluiceTerminalUI", ["SluiceC"]),
        target(
            "Terminal/SluiceTerminalCurses",
            ["SluiceTerminalUI", "SluiceCCurses", "SluiceC", "SluiceSystem"]),
        target(
            "Terminal/SluiceConsole",
            ["SluiceTerminalUI", "SluiceModel", "SluiceStore", "SluiceControl"]),
        target(
            "Terminal/SluiceReports",
            ["SluiceTerminalUI", "SluiceModel", "SluiceStore", "SluiceControl", "SluiceSystem"]),
        // Program: the command `sluice` and its handlers.
        target(
            "Program/SluiceHandlers",
            [
                "SluiceModel", "SluiceStore", "SluiceRunner", "SluiceTapes", "SluiceSystem",
                "SluiceC",
            ]),
        program(
            "Program/SluiceCommand",
            [
                "SluiceSystem", "SluiceTerminalUI", "SluiceTerminalCurses", "SluiceConsole",
                "SluiceModel", "SluiceStore", "SluiceSQL", "SluiceFolderStore", "SluiceRunner",
                "SluiceHandlers", "SluiceControl", "SluiceTransfer", "SluiceForeignQueues",
                "SluiceTapes", "SluiceReports",
            ]),
        // Testing: what tests drive programs, terminals and servers with.
        program("Testing/SluiceUploaderExample", ["Sluice"]),
        program("Testing/SluiceServiceExample", ["Sluice", "SluiceSystem"]),
        library("Testing/SluiceCVTerm", package: "libvterm-dev"),
        target(
            "Testing/SluiceTestSupport",
            ["SluiceCVTerm", "SluiceC", "SluiceSystem", "SluiceModel", "SluiceTerminalUI"]),
        // Bench: what is measured, beside a raw loop in C.
        cTarget("Bench/SluiceCRawLoop", linking: ["sqlite3"]),
        program(
            "Bench/SluiceBenchmark",
            [
                "SluiceCRawLoop", "SluiceC", "SluiceSystem", "SluiceTestSupport", "SluiceModel",
                "SluiceStore", "SluiceSQL", "SluiceRunner", "SluiceControl", "SluiceTapes",
            ], exclude: ["Peers", "RawPrograms"]),
        // The tests.
        testTarget(
            "SystemTests",
            [
                "SluiceSystem", "SluiceC", "SluiceTerminalUI", "SluiceCCurses", "SluiceTestSupport",
                "SluiceCVTerm",
            ]),
        testTarget("QueueModelTests", ["SluiceModel", "SluiceSystem"], exclude: ["Fixtures"]),
        testTarget(
            "QueueStoreTests",
            [
                "SluiceModel", "SluiceStore", "SluiceSQL", "SluiceFolderStore", "SluiceTransfer",
                "SluiceControl", "SluiceTestSupport", "SluiceSystem", "SluiceCSQLite", "Sluice",
                "SluicePostgres",
            ],
            exclude: ["Folder/Fixtures"]),
        testTarget(
            "OperationTests",
            [
                "SluiceControl", "SluiceRunner", "SluiceStore", "SluiceFolderStore", "SluiceSQL",
                "SluiceTestSupport", "SluiceModel", "SluiceSystem", "SluiceTapes",
            ],
            exclude: ["Stores"]),
        testTarget(
            "ForeignQueuesTests",
            [
                "SluiceForeignQueues", "SluiceModel", "SluiceStore", "SluiceControl",
                "SluiceSystem", "SluiceTestSupport", "SluiceTapes",
            ],
            exclude: ["Fixtures"]),
        testTarget(
            "ConsoleTests",
            ["SluiceConsole", "SluiceTerminalUI", "SluiceControl", "SluiceStore", "SluiceModel"],
            exclude: ["Screens"]),
        testTarget(
            "CommandTests",
            [
                "SluiceCommand", "SluiceControl", "SluiceRunner", "SluiceStore", "SluiceModel",
                "SluiceSystem", "SluiceTapes", "SluiceReports", "SluiceForeignQueues",
                "SluiceConsole", "SluiceTerminalUI", "SluiceBenchmark",
            ]),
        testTarget(
            "QueueHandlersTests",
            [
                "SluiceModel", "SluiceStore", "SluiceSQL", "SluiceRunner", "SluiceHandlers",
                "SluiceTapes", "SluiceTestSupport", "SluiceSystem",
            ]),
        testTarget(
            "LibraryTests",
            ["Sluice", "SluiceTesting", "SluiceFolderStore", "SluiceSystem", "SluiceCSQLite"]),
        testTarget(
            "ProcessTests",
            [
                "SluiceTestSupport", "SluiceSystem", "SluiceC", "SluiceModel", "Sluice",
                "SluiceCommand", "SluiceControl", "SluiceUploaderExample", "SluiceServiceExample",
            ],
            exclude: ["ForeignTrials/Programs"]),
        testTarget(
            "ScreenTests",
            [
                "SluiceTestSupport", "SluiceSystem", "SluiceControl", "SluiceStore", "SluiceSQL",
                "SluiceModel", "SluiceCommand", "SluiceTerminalUI",
            ]),
        testTarget(
            "StyleTests",
            [
                "SluiceSystem", "SluiceControl", "SluiceConsole", "SluiceTerminalUI",
                "SluiceRunner", "SluiceStore", "SluiceModel",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
