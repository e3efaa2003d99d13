import SluiceC

package enum Release {
    /// The version of the library and of the program. A program that `make install` installed from
    /// a commit without a tag has the commit's day and number: `0.1.0+git20261128.f4fbd7a9`.
    package static let version = "0.1.0" + String(cString: csys_build())
}
