import SluiceSystem
import SluiceTestSupport
import Testing

/// The package as a dependency by its version.
@Suite("end to end: versions")
struct VersionTests {
    private static let root = Project.folder

    @Test(
        "a dependency from: \"1.0.0\" takes the newest tag before 2.0.0 of a repository at a URL",
        .enabled(if: Files.exists("\(root)/.git")))
    func resolves() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace()
            func git(_ words: String...) throws {
                try place.expecting(0, place.start("git", words).answer())
            }
            let origin = place.file("sluice.git")
            try git("clone", "--quiet", "--bare", Self.root, origin)
            for version in ["0.9.0", "1.0.0", "1.0.1", "2.0.0"] {
                try git("-C", origin, "tag", "--force", version)
            }
            try Files.makeDirectory(place.file("app/Sources/App"), withParents: true)
            try place.write("import Sluice\n", to: "app/Sources/App/main.swift")
            try place.write(
                """
                // swift-tools-version: 6.2
                import PackageDescription
                let package = Package(
                    name: "app",
                    dependencies: [.package(url: "file://\(origin)", from: "1.0.0")],
                    targets: [
                        .executableTarget(
                            name: "App",
                            dependencies: [.product(name: "Sluice", package: "sluice")])
                    ])
                """, to: "app/Package.swift")
            let words = [
                "package", "--package-path", place.file("app"), "--cache-path",
                place.file("cache"), "--security-path", place.file("security"),
            ]
            try place.expecting(
                0, place.start("swift", words + ["resolve"]).answer(withinSeconds: 600))
            let pins = try Files.read(place.file("app/Package.resolved"), limitBytes: 1 << 16)
            #expect(String(decoding: pins, as: UTF8.self).contains("\"version\" : \"1.0.1\""))
        }
    }
}
