// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "sluice-service",
    products: [.library(name: "SluiceService", targets: ["SluiceService"])],
    dependencies: [
        .package(url: "https://git.example.org/sluice.git", from: "0.1.0"),
        .package(url: "https://git.example.org/swift-service-lifecycle.git", from: "2.6.0"),
    ],
    targets: [
        .target(
            name: "SluiceService",
            dependencies: [
                .product(name: "Sluice", package: "sluice"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ])
    ])
