import SluiceModel
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("Screens")
struct ScreenTests {
    struct Case: CustomTestStringConvertible {
        var name: String
        var size: Size
        var keys: String
        var testDescription: String { name }
    }

    static let cases: [Case] = [
        Case(name: "inventory-118x32", size: Size(width: 118, height: 32), keys: ""),
        Case(name: "inventory-120x40", size: Size(width: 120, height: 40), keys: "j j"),
        Case(name: "inventory-80x24", size: Size(width: 80, height: 24), keys: ""),
        Case(name: "inventory-60x12", size: Size(width: 60, height: 12), keys: ""),
        Case(name: "inventory-40x10", size: Size(width: 40, height: 10), keys: ""),
        Case(name: "queues-60x12", size: Size(width: 60, height: 12), keys: "h"),
        Case(name: "why-118x32", size: Size(width: 118, height: 32), keys: "G k w"),
        Case(name: "why-80x24", size: Size(width: 80, height: 24), keys: "G k w"),
        Case(name: "detail-118x32", size: Size(width: 118, height: 32), keys: "Enter"),
        Case(name: "detail-80x24", size: Size(width: 80, height: 24), keys: "Enter PgDn"),
        Case(name: "transfer-118x32", size: Size(width: 118, height: 32), keys: "h j j j l"),
        Case(name: "transfer-80x24", size: Size(width: 80, height: 24), keys: "h j j j l"),
        Case(
            name: "transfer-detail-80x24", size: Size(width: 80, height: 24),
            keys: "h j j j l Enter"),
        Case(name: "groups-118x32", size: Size(width: 118, height: 32), keys: "2 l j j l"),
        Case(name: "timers-118x32", size: Size(width: 118, height: 32), keys: "3"),
        Case(name: "activity-118x32", size: Size(width: 118, height: 32), keys: "4"),
        Case(name: "runners-118x32", size: Size(width: 118, height: 32), keys: "6"),
        Case(name: "view7-118x32", size: Size(width: 118, height: 32), keys: "7"),
        Case(name: "view7-80x24", size: Size(width: 80, height: 24), keys: "7 j"),
        Case(name: "help-118x32", size: Size(width: 118, height: 32), keys: "?"),
        Case(name: "actions-118x32", size: Size(width: 118, height: 32), keys: "a"),
        Case(name: "actions-80x24", size: Size(width: 80, height: 24), keys: "a j"),
        Case(name: "actions-60x20", size: Size(width: 60, height: 20), keys: "a j"),
        Case(name: "help-60x20", size: Size(width: 60, height: 20), keys: "?"),
        Case(name: "groups-80x24", size: Size(width: 80, height: 24), keys: "2"),
        Case(name: "timers-80x24", size: Size(width: 80, height: 24), keys: "3"),
        Case(name: "confirm-118x32", size: Size(width: 118, height: 32), keys: "d"),
        Case(name: "too-small-39x9", size: Size(width: 39, height: 9), keys: ""),
    ]

    @Test("K5 K8 the picture of each view at each size", arguments: cases)
    func picture(_ example: Case) throws {
        let bench = Bench(
            store: try LivingScene.store(), size: example.size, now: LivingScene.now)
        bench.press(example.keys)
        try Pictures.check(example.name, bench.buffer)
    }

    @Test("K1 the tabs of another view, or the rows at the cursor, are shown ahead of the rest")
    func glimpses() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 118, height: 32),
            now: LivingScene.now)
        let steps = [
            ("2", [1, 24]), ("j", [24]), ("1", [1, 24]), ("j", [3, 24]), ("?", [24]),
        ]
        for (keys, heights) in steps {
            let former = bench.state.place
            bench.press(keys)
            var parts: [(buffer: CellBuffer, place: Rect)] = []
            let picture = bench.state.view(bench.state.size, since: former) {
                parts.append(($0, $1))
            }
            #expect(parts.map(\.place.height) == heights)
            for (buffer, place) in parts {
                for y in place.y..<place.maxY {
                    let isSame = buffer[row: y].dropFirst(place.x)
                        .elementsEqual(picture[row: y].dropFirst(place.x))
                    #expect(isSame)
                }
            }
        }
    }

    static let compared: [Case] = [
        Case(name: "versions-118x32", size: Size(width: 118, height: 32), keys: "Enter"),
        Case(name: "compare-118x40", size: Size(width: 118, height: 40), keys: "Enter <"),
        Case(name: "compare-apart-118x40", size: Size(width: 118, height: 40), keys: "Enter < ("),
        Case(name: "compare-80x24", size: Size(width: 80, height: 24), keys: "Enter < <"),
        Case(name: "compare-60x20", size: Size(width: 60, height: 20), keys: "Enter >"),
    ]

    @Test(
        "the difference between two executions, and the versions of the payload",
        arguments: compared)
    func difference(_ example: Case) throws {
        let bench = Bench(
            store: try ComparedScene.store(), size: example.size, now: LivingScene.now)
        bench.press(example.keys)
        try Pictures.check(example.name, bench.buffer)
    }
}
