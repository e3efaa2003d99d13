/// The box drawing characters U+2500 to U+257F as shapes: fonts leave gaps between them.
enum BoxDrawing {
    /// For each character the weights of its arms to the left, right, top and bottom: 0 none,
    /// 1 light, 2 heavy, 3 double.
    private static let arms: [[Int]] = """
        1100 2200 0011 0022 1100 2200 0011 0022 1100 2200 0011 0022 0101 0201 0102 0202
        1001 2001 1002 2002 0110 0210 0120 0220 1010 2010 1020 2020 0111 0211 0121 0112
        0122 0221 0212 0222 1011 2011 1021 1012 1022 2021 2012 2022 1101 2101 1201 2201
        1102 2102 1202 2202 1110 2110 1210 2210 1120 2120 1220 2220 1111 2111 1211 2211
        1121 1112 1122 2121 1221 2112 1212 2221 2212 2122 1222 2222 1100 2200 0011 0022
        3300 0033 0301 0103 0303 3001 1003 3003 0310 0130 0330 3010 1030 3030 0311 0133
        0333 3011 1033 3033 3301 1103 3303 3310 1130 3330 3311 1133 3333 0101 1001 1010
        0110 0000 0000 0000 1000 0010 0100 0001 2000 0020 0200 0002 1200 0012 2100 0021
        """.split { $0 == " " || $0 == "\n" }.map { $0.compactMap(\.wholeNumberValue) }

    static let range: ClosedRange<UInt32> = 0x2500...0x257f

    static func draw(
        _ scalar: UInt32, in box: CellBox, _ color: PictureColor, to shapes: inout SVGShapes
    ) {
        let weights = arms[Int(scalar - range.lowerBound)]
        switch scalar {
        case 0x256d...0x2570: arc(weights, box, color, &shapes)
        case 0x2571...0x2573: diagonal(scalar, box, color, &shapes)
        case 0x2504...0x2507: dashes(scalar, 3, box, color, &shapes)
        case 0x2508...0x250b: dashes(scalar, 4, box, color, &shapes)
        case 0x254c...0x254f: dashes(scalar, 2, box, color, &shapes)
        default: lines(weights, box, color, &shapes)
        }
    }

    /// The offsets from the middle and the thickness of the strokes of one arm.
    private static func strokes(_ weight: Int, _ pen: Double) -> [(offset: Double, Double)] {
        switch weight {
        case 1: [(0, pen)]
        case 2: [(0, 3 * pen)]
        case 3: [(-2 * pen, pen), (2 * pen, pen)]
        default: []
        }
    }

    private static func lines(
        _ weights: [Int], _ box: CellBox, _ color: PictureColor, _ shapes: inout SVGShapes
    ) {
        let (left, right, up, down) = (weights[0], weights[1], weights[2], weights[3])
        let level = reach(max(up, down), box.pen)
        let upright = reach(max(left, right), box.pen)
        let (middleX, middleY) = (box.lineX(box.pen), box.lineY(box.pen))
        for (weight, fromX, toX) in [
            (left, box.x, left == right ? box.x + box.width : middleX + box.pen + level),
            (left == right ? 0 : right, middleX - level, box.x + box.width),
        ] {
            for (offset, thickness) in strokes(weight, box.pen) {
                shapes.add(
                    SVGShapes.Rectangle(
                        x: fromX, y: box.lineY(thickness) + offset, width: toX - fromX,
                        height: thickness, color: color))
            }
        }
        for (weight, fromY, toY) in [
            (up, box.y, up == down ? box.y + box.height : middleY + box.pen + upright),
            (up == down ? 0 : down, middleY - upright, box.y + box.height),
        ] {
            for (offset, thickness) in strokes(weight, box.pen) {
                shapes.add(
                    SVGShapes.Rectangle(
                        x: box.lineX(thickness) + offset, y: fromY, width: thickness,
                        height: toY - fromY, color: color))
            }
        }
    }

    /// How far an arm goes beyond the light middle so that it meets the arms across.
    private static func reach(_ weight: Int, _ pen: Double) -> Double {
        switch weight {
        case 2: pen
        case 3: 2 * pen
        default: 0
        }
    }

    private static func arc(
        _ weights: [Int], _ box: CellBox, _ color: PictureColor, _ shapes: inout SVGShapes
    ) {
        let (x, y) = (box.lineX(box.pen) + box.pen / 2, box.lineY(box.pen) + box.pen / 2)
        let endX = weights[0] > 0 ? box.x : box.x + box.width
        let endY = weights[2] > 0 ? box.y : box.y + box.height
        let points = [(endX, y), (x, y), (x, endY)].map { "\(SVG.number($0)) \(SVG.number($1))" }
        shapes.add(
            path: "M\(points[0])Q\(points[1]) \(points[2])", color: color, width: box.pen)
    }

    private static func diagonal(
        _ scalar: UInt32, _ box: CellBox, _ color: PictureColor, _ shapes: inout SVGShapes
    ) {
        let (left, right) = (SVG.number(box.x), SVG.number(box.x + box.width))
        let (top, bottom) = (SVG.number(box.y), SVG.number(box.y + box.height))
        var path = ""
        if scalar != 0x2572 { path += "M\(left) \(bottom)L\(right) \(top)" }
        if scalar != 0x2571 { path += "M\(left) \(top)L\(right) \(bottom)" }
        shapes.add(path: path, color: color, width: box.pen)
    }

    private static func dashes(
        _ scalar: UInt32, _ count: Int, _ box: CellBox, _ color: PictureColor,
        _ shapes: inout SVGShapes
    ) {
        let thickness = scalar % 2 == 0 ? box.pen : 3 * box.pen
        let isUpright = scalar & 2 != 0
        let length = isUpright ? box.height : box.width
        for number in 0..<count {
            let step = length / Double(count)
            let start = (step * Double(number)).rounded()
            let dash = (step * 0.6).rounded(.up)
            shapes.add(
                isUpright
                    ? SVGShapes.Rectangle(
                        x: box.lineX(thickness), y: box.y + start, width: thickness,
                        height: dash, color: color)
                    : SVGShapes.Rectangle(
                        x: box.x + start, y: box.lineY(thickness), width: dash,
                        height: thickness, color: color))
        }
    }
}
