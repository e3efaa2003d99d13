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

let package = Package(
    name: "sluice",
    targets: [
        room("QueueModel"),
        .target(name: "CSystem"),
        room("Platform", ["CSystem"]),
        room("QueueStore", ["QueueModel", "Platform"]),
        room("QueueControl", ["QueueModel", "QueueStore"]),
        room("QueueRunner", ["QueueModel", "QueueStore", "Platform"]),
    ],
    swiftLanguageModes: [.v6]
)
