package import SluiceTerminalUI

/// What the console is told once, at its start.
package struct ConsoleSettings: Hashable, Sendable {
    /// The store's name as the person gave it.
    package var storeName: String
    /// Where it lies, where that is more than its name.
    package var storePlace: String?
    /// What kind of store it is, such as `sqlite`.
    package var storeKind: String
    /// Whether it refuses every change (D11).
    package var isReadOnly = false
    /// Whether the system tells of changes; else the store is looked at each second.
    package var isTold = true
    /// The signs that the terminal can show.
    package var glyphs = GlyphSet.unicode
    /// Which key does what.
    package var keys = Keymap.standard
    /// The columns of the list.
    package var columns = InventoryColumns.standard
    /// Whether the panes at the left and below are shown.
    package var showsPanes = true
    /// The filters that `@` names.
    package var savedFilters: [String: String] = [:]
    /// What a newcomer is told until the first verb.
    package var openingHint: Hint?
    /// What they are told after their first step.
    package var stepHint: Hint?
    /// What they are told behind that, and where.
    package var tour: Tour?
    /// The stores that were shown, the newest first: `:open` completes them.
    package var recentStores: [String] = []
    /// Former lines of the command line, the oldest first.
    package var commandHistory: [String] = []

    /// A store by its name and kind.
    package init(storeName: String, storeKind: String) {
        self.storeName = storeName
        self.storeKind = storeKind
    }
}
