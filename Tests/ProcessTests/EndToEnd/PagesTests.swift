import SluiceSystem
import SluiceTestSupport
import Testing

/// The DocC pages of the library's products.
@Suite("end to end: pages")
struct PagesTests {
    @Test("each product has its pages, and every link of its catalogue leads to a symbol")
    func links() async throws {
        let root = Project.folder
        try await Workplace.onOwnThread {
            let place = try Workplace()
            let words = [Files.parent(of: try BuiltProgram.path()), place.file("pages")]
            let made = try place.start("\(root)/packaging/pages.sh", words)
            try place.expecting(0, made.answer(withinSeconds: 600))
            for (product, pages) in [
                ("Sluice", ["queueclient", "enqueuerequest", "retryrule", "firstqueue"]),
                ("SluicePostgres", ["astoreataserver"]),
                ("SluiceTesting", ["unmetexpectation", "testinganapp"]),
            ] {
                let folder = "pages/\(product).doccarchive/data/documentation"
                #expect(Files.exists(place.file("\(folder)/\(product.lowercased()).json")))
                for page in pages {
                    let file = "\(folder)/\(product.lowercased())/\(page).json"
                    #expect(Files.exists(place.file(file)), "\(file)")
                }
            }
        }
    }
}
