// Everything an app needs, in one import.
@_exported public import SluiceControl
@_exported public import SluiceMetrics
@_exported public import SluiceModel
@_exported public import SluiceRunner
@_exported public import SluiceSQLiteStore
@_exported public import SluiceStore
