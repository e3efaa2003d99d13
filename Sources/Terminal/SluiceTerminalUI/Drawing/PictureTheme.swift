package struct PictureColor: Hashable, Sendable {
    /// Red, green and blue, 0 to 255 each, as in 0xRRGGBB.
    package var value: UInt32

    /// A colour from 0xRRGGBB.
    package init(_ value: UInt32) {
        self.value = value
    }

    /// The colour as SVG writes it.
    package var hex: String {
        let digits = String(value & 0xff_ffff, radix: 16)
        return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }
}

/// The colours of a terminal in a picture.
package struct PictureTheme: Hashable, Sendable {
    package var background: PictureColor
    /// The colour of the text.
    package var foreground: PictureColor
    /// The sixteen named colours: black red green yellow blue magenta cyan white, then bright.
    package var palette: [PictureColor]

    package init(background: UInt32, foreground: UInt32, palette: [UInt32]) {
        self.background = PictureColor(background)
        self.foreground = PictureColor(foreground)
        self.palette = palette.map(PictureColor.init)
    }

    /// Light text on a dark ground.
    package static let dark = PictureTheme(
        background: 0x16181d, foreground: 0xd4d7dd,
        palette: [
            0x2a2e37, 0xe5636b, 0x86c06c, 0xe0b45c, 0x6aa3e8, 0xc487dd, 0x5bbcc4, 0xc3c7cf,
            0x6b7280, 0xff8288, 0xa5dd8a, 0xf5d07f, 0x8fbdf7, 0xdba6f0, 0x82d8df, 0xf4f5f7,
        ])

    /// Dark text on a light ground.
    package static let light = PictureTheme(
        background: 0xfbfbfa, foreground: 0x24272e,
        palette: [
            0x24272e, 0xb3262f, 0x2f7d22, 0x8a6100, 0x1f5fb8, 0x8a37a8, 0x0f7480, 0xd9dbdf,
            0x70757f, 0xc93c45, 0x3d9430, 0xa37400, 0x2f74d4, 0xa34bc2, 0x1a8a96, 0xffffff,
        ])

    /// The colour in this theme. `standard` replaces the terminal's default.
    func color(_ color: ScreenColor, standard: PictureColor) -> PictureColor {
        switch color {
        case .standard: standard
        case .rgb(let red, let green, let blue):
            PictureColor(UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue))
        case .indexed(let index): indexed(Int(index))
        }
    }

    private func indexed(_ index: Int) -> PictureColor {
        if index < 16 { return index < palette.count ? palette[index] : foreground }
        if index >= 232 {
            let grey = UInt32(8 + (index - 232) * 10)
            return PictureColor(grey << 16 | grey << 8 | grey)
        }
        let steps: [UInt32] = [0, 95, 135, 175, 215, 255]
        let cube = index - 16
        return PictureColor(
            steps[cube / 36] << 16 | steps[cube / 6 % 6] << 8 | steps[cube % 6])
    }
}
