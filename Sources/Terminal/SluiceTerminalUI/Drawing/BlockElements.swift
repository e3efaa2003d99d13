/// The block elements U+2580 to U+259F and the dots of Braille as shapes.
enum BlockElements {
    static let blocks: ClosedRange<UInt32> = 0x2580...0x259f
    static let braille: ClosedRange<UInt32> = 0x2800...0x28ff

    /// Quadrants of U+2596 to U+259F: 1 upper left, 2 upper right, 4 lower left, 8 lower right.
    private static let quadrants = [4, 8, 1, 13, 9, 7, 11, 2, 6, 14]

    static func draw(
        _ scalar: UInt32, in box: CellBox, _ color: PictureColor, to shapes: inout SVGShapes
    ) {
        func fill(
            _ x: Double, _ y: Double, _ width: Double, _ height: Double, opacity: Double = 1
        ) {
            shapes.add(
                SVGShapes.Rectangle(
                    x: box.x + box.width * x, y: box.y + box.height * y,
                    width: box.width * width, height: box.height * height, color: color,
                    opacity: opacity))
        }
        let eighths = Double(scalar & 0xf) / 8
        switch scalar {
        case 0x2580: fill(0, 0, 1, 0.5)
        case 0x2581...0x2588: fill(0, 1 - eighths, 1, eighths)
        case 0x2589...0x258f: fill(0, 0, 2 - eighths, 1)
        case 0x2590: fill(0.5, 0, 0.5, 1)
        case 0x2591...0x2593: fill(0, 0, 1, 1, opacity: Double(scalar - 0x2590) / 4)
        case 0x2594: fill(0, 0, 1, 0.125)
        case 0x2595: fill(0.875, 0, 0.125, 1)
        case 0x2596...0x259f:
            let bits = quadrants[Int(scalar - 0x2596)]
            if bits & 1 != 0 { fill(0, 0, 0.5, 0.5) }
            if bits & 2 != 0 { fill(0.5, 0, 0.5, 0.5) }
            if bits & 4 != 0 { fill(0, 0.5, 0.5, 0.5) }
            if bits & 8 != 0 { fill(0.5, 0.5, 0.5, 0.5) }
        default: dots(scalar, box, color, &shapes)
        }
    }

    private static func dots(
        _ scalar: UInt32, _ box: CellBox, _ color: PictureColor, _ shapes: inout SVGShapes
    ) {
        let places = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]
        for (bit, place) in places.enumerated() where scalar & 1 << bit != 0 {
            shapes.add(
                dotAtX: box.x + box.width * (0.25 + 0.5 * Double(place.0)),
                y: box.y + box.height * (0.125 + 0.25 * Double(place.1)),
                radius: box.width * 0.14, color: color)
        }
    }
}
