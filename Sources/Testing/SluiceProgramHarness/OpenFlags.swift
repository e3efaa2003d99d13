/// The flags of open(2) that tests need, by Linux's numbers.
package enum OpenFlags {
    /// For reading.
    package static let read: Int32 = 0
    /// For writing at the end, made where it is missing.
    package static let append: Int32 = 0o1 | 0o100 | 0o2000
}
