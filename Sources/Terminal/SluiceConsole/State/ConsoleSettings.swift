package import SluiceTerminalUI

/// The console's settings, set once at its start.
package struct ConsoleSettings: Hashable, Sendable {
    /// The store's name as the person gave it.
    package var storeName: String
    /// The store's path, if it says more than the name.
    package var storePlace: String?
    /// The kind of store, such as `sqlite`.
    package var storeKind: String
    /// Whether it refuses every change (D11).
    package var isReadOnly = false
    /// Whether the system reports changes. If not, the console polls the store every second.
    package var isNotified = true
    /// The signs that the terminal can show.
    package var glyphs = GlyphSet.unicode
    package var keys = Keymap.standard
    package var columns = InventoryColumns.standard
    /// Whether the panes at the left and below are shown.
    package var showsPanes = true
    /// Whether a condition of a queue that begins rings the bell.
    package var notifies = false
    /// The names of all places, if it shows several.
    package var fleet: [String] = []
    /// The filters that `@` names.
    package var savedFilters: [String: String] = [:]
    /// The hint for a beginner until the first verb.
    package var openingHint: Hint?
    package var stepHint: Hint?
    /// The tour after the first step.
    package var tour: Tour?
    /// The recent stores, newest first, for completion of `:open`.
    package var recentStores: [String] = []
    /// Former lines of the command line, the oldest first.
    package var commandHistory: [String] = []

    package init(storeName: String, storeKind: String) {
        self.storeName = storeName
        self.storeKind = storeKind
    }
}
