/// A colour, as the program specified it.
package enum ScreenColor: Hashable, Sendable {
    /// The terminal's own foreground or background.
    case standard
    /// One of the 256 of the palette.
    case indexed(UInt8)
    /// A colour by its parts.
    case rgb(red: UInt8, green: UInt8, blue: UInt8)
}
