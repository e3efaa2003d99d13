// Everything an app needs, in one import.
@_exported public import SluiceControl
@_exported public import SluiceModel
@_exported public import SluiceRunner
@_exported public import SluiceSQL
@_exported public import SluiceStore
