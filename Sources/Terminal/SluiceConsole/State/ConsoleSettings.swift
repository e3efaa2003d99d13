public import SluiceTerminalUI

/// What the console is told once, at its start.
public struct ConsoleSettings: Hashable, Sendable {
    /// The store's name as the person gave it.
    public var storeName: String
    /// Where it lies, where that is more than its name.
    public var storePlace: String?
    /// What kind of store it is, such as `sqlite`.
    public var storeKind: String
    /// Whether it refuses every change (D11).
    public var isReadOnly = false
    /// Whether the system tells of changes; else the store is looked at each second.
    public var isTold = true
    /// The signs that the terminal can show.
    public var glyphs = GlyphSet.unicode
    /// Which key does what.
    public var keys = Keymap.standard
    /// The columns of the list.
    public var columns = InventoryColumns.standard
    /// The filters that `@` names.
    public var savedFilters: [String: String] = [:]
    /// What a newcomer is told until the first verb.
    public var openingHint: Hint?
    /// What they are told after their first step.
    public var stepHint: Hint?
    /// What they are told behind that, and where.
    public var tour: Tour?
    /// The stores that were shown, the newest first: `:open` completes them.
    public var recentStores: [String] = []
    /// Former lines of the command line, the oldest first.
    public var commandHistory: [String] = []

    /// A store by its name and kind.
    public init(storeName: String, storeKind: String) {
        self.storeName = storeName
        self.storeKind = storeKind
    }
}
