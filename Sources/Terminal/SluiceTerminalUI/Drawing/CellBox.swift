/// The place of one cell in a picture, in pixels.
struct CellBox {
    let x: Double
    let y: Double
    let width: Double
    let height: Double

    /// How thick a light line is; a heavy one is three times that.
    var pen: Double { max(1, (width / 10).rounded()) }

    /// The left edge of the vertical line through the middle, on whole pixels.
    func lineX(_ thickness: Double) -> Double { x + ((width - thickness) / 2).rounded(.down) }

    /// The top edge of the horizontal line through the middle, on whole pixels.
    func lineY(_ thickness: Double) -> Double { y + ((height - thickness) / 2).rounded(.down) }
}
