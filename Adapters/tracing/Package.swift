// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "sluice-tracing",
    products: [.library(name: "SluiceTracing", targets: ["SluiceTracing"])],
    dependencies: [
        .package(url: "https://git.example.org/sluice.git", from: "0.1.0"),
        .package(url: "https://git.example.org/swift-distributed-tracing.git", from: "1.1.0"),
    ],
    targets: [
        .target(
            name: "SluiceTracing",
            dependencies: [
                .product(name: "Sluice", package: "sluice"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ])
    ])
