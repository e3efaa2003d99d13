/// The names that the program itself uses.
extension Action.ID {
    // Driving a queue.
    package static let step = Self("step"), stepTask = Self("stepTask"), run = Self("run")
    package static let pauseWithReason = Self("pauseWithReason")
    package static let listBreaks = Self("listBreaks")
    package static let listFaults = Self("listFaults")
    package static let expect = Self("expect")
    package static let listCheckpoints = Self("listCheckpoints")
    package static let diff = Self("diff")
    package static let restore = Self("restore")
    package static let listSchedules = Self("listSchedules")
    package static let record = Self("record"), replay = Self("replay")
    package static let earlier = Self("earlier"), later = Self("later")
    package static let muchEarlier = Self("muchEarlier"), muchLater = Self("muchLater")
    package static let report = Self("report")

    // Verbs on tasks that other files refer to.
    package static let skip = Self("skip"), unskip = Self("unskip"), delete = Self("delete")
    package static let cancel = Self("cancel")
    package static let retry = Self("retry"), postpone = Self("postpone")
    package static let priority = Self("priority"), raisePriority = Self("raisePriority")
    package static let lowerPriority = Self("lowerPriority"), move = Self("move")
    package static let edit = Self("edit"), duplicate = Self("duplicate")
    package static let acknowledge = Self("acknowledge")

    // Changing queues and the store.
    package static let enqueue = Self("enqueue")

    // Looking.
    package static let why = Self("why"), detail = Self("detail"), results = Self("results")
    package static let mark = Self("mark"), markMatching = Self("markMatching")
    package static let filter = Self("filter"), nextMatch = Self("nextMatch")
    package static let previousMatch = Self("previousMatch"), top = Self("top"), end = Self("end")
    package static let previousLink = Self("previousLink"), nextLink = Self("nextLink")
    package static let freeze = Self("freeze"), timeFormat = Self("timeFormat")
    package static let detailLog = Self("detailLog"), copy = Self("copy"), down = Self("down")
    package static let up = Self("up"), left = Self("left"), right = Self("right")
    package static let olderAttempt = Self("olderAttempt"), newerAttempt = Self("newerAttempt")
    package static let withOlder = Self("withOlder"), withNewer = Self("withNewer")

    // The program.
    package static let actions = Self("actions"), commandLine = Self("commandLine")
    package static let help = Self("help"), nextView = Self("nextView"), back = Self("back")
    package static let otherStore = Self("otherStore")

    // Commands only.
    package static let initialize = Self("initialize"), demo = Self("demo")
    package static let version = Self("version"), completion = Self("completion")
    package static let queues = Self("queues"), list = Self("list"), forecast = Self("forecast")
    package static let flow = Self("flow"), timeline = Self("timeline")
    package static let groups = Self("groups"), timers = Self("timers"), log = Self("log")
    package static let logs = Self("logs")
    package static let runners = Self("runners"), stats = Self("stats")
    package static let metrics = Self("metrics")
    package static let failures = Self("failures"), preview = Self("preview"), panes = Self("panes")
    package static let columns = Self("columns"), order = Self("order"), watch = Self("watch")
    package static let work = Self("work"), doctor = Self("doctor"), export = Self("export")
    package static let importTasks = Self("importTasks"), compact = Self("compact")
    package static let copyStore = Self("copyStore"), saveFilter = Self("saveFilter")
    package static let listFilters = Self("listFilters"), removeFilter = Self("removeFilter")

    init(_ name: String) { self.init(rawValue: name) }
}
