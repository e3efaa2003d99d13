// What an app needs, by one import.
@_exported public import QueueControl
@_exported public import QueueModel
@_exported public import QueueRunner
@_exported public import QueueStore
@_exported public import QueueStoreSQLite
@_exported public import QueueTransfer
