import SluiceConsole
import SluiceModel

/// Writes choices into the person's files.
struct ScreenKeeping {
    /// Gives the path of the file.
    let columns: (InventoryColumns) throws(QueueError) -> String
    let panes: (Bool) throws(QueueError) -> Void
}
