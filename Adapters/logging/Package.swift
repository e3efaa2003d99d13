// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "sluice-logging",
    products: [.library(name: "SluiceLogging", targets: ["SluiceLogging"])],
    dependencies: [
        .package(url: "https://git.example.org/sluice.git", from: "0.1.0"),
        .package(url: "https://git.example.org/swift-log.git", from: "1.6.0"),
    ],
    targets: [
        .target(
            name: "SluiceLogging",
            dependencies: [
                .product(name: "Sluice", package: "sluice"),
                .product(name: "Logging", package: "swift-log"),
            ])
    ])
