/// Which Sluice this is.
package enum Release {
    /// The version of the library and of the program.
    package static let version = "0.1.0"
}
