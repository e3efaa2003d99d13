import SluiceSystem
import SluiceTestSupport
import Testing

/// An app with targets next to this package's.
@Suite("end to end: an app's own targets")
struct NeighbourTests {
    private static let names = ["CSystem", "Platform", "Console", "Benchmark", "HTTPClient"]

    @Test("an app whose targets have usual names builds with Sluice, and opens a store")
    func builds() async throws {
        let root = Project.folder
        try await Workplace.onOwnThread {
            let place = try Workplace()
            try Self.write(into: place, sluiceAt: root)
            let build = ["build", "--package-path", place.path, "--product", "App"]
            // Kept between runs, next to the tests' build folder.
            let kept = ["--scratch-path", root + "/.build/neighbour"]
            try place.expecting(0, place.start("swift", build + kept).answer(withinSeconds: 1200))
            let app = try place.start(root + "/.build/neighbour/debug/App", []).answer()
            #expect(app.code == 0 && app.output == "5 targets beside 1 task\n", "\(app)")
        }
    }

    private static func write(into place: Workplace, sluiceAt root: String) throws {
        let targets = names.map { ".target(name: \"\($0)\")" }.joined(separator: ", ")
        let dependencies = names.map { "\"\($0)\"" }.joined(separator: ", ")
        try place.write(
            """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(
                name: "neighbour", dependencies: [.package(name: "sluice", path: "\(root)")],
                targets: [
                    \(targets),
                    .executableTarget(
                        name: "App",
                        dependencies: [
                            \(dependencies), .product(name: "Sluice", package: "sluice"),
                        ]),
                ])
            """, to: "Package.swift")
        for name in names + ["App", "CSystem/include"] {
            try Files.makeDirectory(place.file("Sources/\(name)"), withParents: true)
        }
        try place.write("int app_system(void);", to: "Sources/CSystem/include/CSystem.h")
        try place.write("int app_system(void) { return 1; }", to: "Sources/CSystem/app.c")
        for name in names.dropFirst() {
            try place.write("public let app\(name) = 1", to: "Sources/\(name)/App.swift")
        }
        try place.write(
            """
            import Benchmark
            import CSystem
            import Console
            import HTTPClient
            import Platform
            import Sluice

            struct Greeting: TaskPayload {
                static let taskType = "greeting"
                var name: String
            }

            let app = try QueueClient.open("app.db")
            try await app.enqueue(Greeting(name: "Dana"), to: "greetings")
            let count = Int(app_system()) + appPlatform + appConsole + appBenchmark + appHTTPClient
            print("\\(count) targets beside 1 task")
            """, to: "Sources/App/main.swift")
    }
}
