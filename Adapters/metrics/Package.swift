// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "sluice-swift-metrics",
    products: [.library(name: "SluiceSwiftMetrics", targets: ["SluiceSwiftMetrics"])],
    dependencies: [
        .package(url: "https://git.example.org/sluice.git", from: "0.1.0"),
        .package(url: "https://git.example.org/swift-metrics.git", from: "2.5.0"),
    ],
    targets: [
        .target(
            name: "SluiceSwiftMetrics",
            dependencies: [
                .product(name: "Sluice", package: "sluice"),
                .product(name: "Metrics", package: "swift-metrics"),
            ])
    ])
