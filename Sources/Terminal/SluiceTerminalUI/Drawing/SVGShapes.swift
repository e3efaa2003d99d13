/// The rectangles and curves of a picture, in their order, neighbours joined.
struct SVGShapes {
    struct Rectangle: Equatable {
        var x: Double
        var y: Double
        var width: Double
        var height: Double
        var color: PictureColor
        var opacity = 1.0
    }

    private(set) var rectangles: [Rectangle] = []
    private(set) var others: [String] = []

    /// Adds a rectangle, merged with the last one if it continues it to the right.
    mutating func add(_ new: Rectangle) {
        guard new.width > 0, new.height > 0 else { return }
        if let last = rectangles.last, last.x + last.width == new.x, last.y == new.y,
            last.height == new.height, last.color == new.color, last.opacity == new.opacity
        {
            rectangles[rectangles.count - 1].width += new.width
        } else {
            rectangles.append(new)
        }
    }

    /// Adds a stroked curve.
    mutating func add(path: String, color: PictureColor, width: Double) {
        others.append(
            #"<path d="\#(path)" fill="none" stroke="\#(color.hex)" "#
                + #"stroke-width="\#(SVG.number(width))"/>"#)
    }

    mutating func add(dotAtX x: Double, y: Double, radius: Double, color: PictureColor) {
        others.append(
            #"<circle cx="\#(SVG.number(x))" cy="\#(SVG.number(y))" "#
                + #"r="\#(SVG.number(radius))" fill="\#(color.hex)"/>"#)
    }

    var rectangleElements: [String] {
        rectangles.map { one in
            let place = #"x="\#(SVG.number(one.x))" y="\#(SVG.number(one.y))""#
            let size = #"width="\#(SVG.number(one.width))" height="\#(SVG.number(one.height))""#
            let opacity = one.opacity == 1 ? "" : #" fill-opacity="\#(SVG.number(one.opacity))""#
            return #"<rect \#(place) \#(size) fill="\#(one.color.hex)"\#(opacity)/>"#
        }
    }
}
