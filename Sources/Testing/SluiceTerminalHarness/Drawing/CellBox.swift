/// The place of one cell in a picture, in pixels.
struct CellBox {
    let x: Double
    let y: Double
    let width: Double
    let height: Double

    /// How thick a light line is; a heavy one is three times that.
    var pen: Double { max(1, (width / 10).rounded()) }

    /// Where the upright line through the middle starts, on whole pixels.
    func lineX(_ thickness: Double) -> Double { x + ((width - thickness) / 2).rounded(.down) }

    /// Where the level line through the middle starts, on whole pixels.
    func lineY(_ thickness: Double) -> Double { y + ((height - thickness) / 2).rounded(.down) }
}
