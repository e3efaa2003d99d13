/// The flags of open(2) that tests need, by Linux's numbers.
package enum OpenFlags {
    package static let read: Int32 = 0
    /// Opens for writing at the end; makes a missing file.
    package static let append: Int32 = 0o1 | 0o100 | 0o2000
}
