import SluiceTransfer

extension Help {
    /// What the JSON of a verb holds where its shape is its own, and what else is worth saying.
    static let notes: [String: [String]] = [
        "init": [
            #"JSON: {"store","kind","created":bool,"durability":"full|normal","journalBytes":n}"#
        ],
        "doctor": [
            "The engine's own check comes first, and reads the whole file; then what follows from",
            "the tasks. A file that is found damaged takes no change until it is mended. A repair",
            "keeps it as STORE.damaged-1, makes indexes and tables anew from the rows that can be",
            "read, and says what was lost.",
            #"JSON: {"problems":[s],"tasks":n,"damaged":bool,"repaired":bool,"done":[s],"#,
            #"  "undo":[n],"room":{"bytes","free","tables":[{"name","bytes"}]}|null}"#,
        ],
        "compact": [
            "What is in use is written once more, while whoever writes waits: of up to 64 MiB, at",
            "most about a second. More is refused without --now. Readers are not held up. A file",
            "with tables of an application is left to that application.",
            #"JSON: {"bytesBefore","bytes","freeBefore","free"}"#,
        ],
        "enqueue": [
            "A line of --jsonl is an object with some of these fields:",
            "  \(TaskLines.fields.joined(separator: " "))",
            "A bad line is named by its number, and then nothing of the file is enqueued.",
        ],
        "export": [
            "TARGET is new: a file of lines (.jsonl), a store (.db), a folder of the Customer.io",
            "SDK's (a / at the end), or - for lines on standard output. It is whole or not there.",
            "What the format does not hold is named.",
            #"JSON: {"target","format":"lines|sqlite|folder","tasks":n,"queues":[name],"#,
            #"  "notHeld":[{"what","tasks":n}],"stopped":bool}"#,
        ],
        "import": [
            "SOURCE is such a file, store or folder, or - for lines. A line is an object with the",
            "fields of enqueue --jsonl, its queue, and what an export says of its past. All is",
            "looked at first: a bad line is named by its number, and then nothing is imported.",
            "Then the tasks come in by 1,000; after a stop the same import goes on with the rest.",
            "The same import twice adds nothing, also when its tasks are done and gone since.",
            #"JSON: {"source","format","added":n,"known":n,"created":[queue],"failedCount":n,"#,
            #"  "failed":[{"line":n|null,"origin","code","error"}],"undo":n|null,"#,
            #"  "notHeld":[{"what","tasks":n}],"stopped":bool,"#,
            #"  "error":{"code","message","fix"}|null}"#,
        ],
        "copy": [
            "Queue after queue is paused, copied, compared and opened in TO; the others go on. A",
            "queue of FROM stays there, paused as moved, until queue delete forgets it. After a",
            "kill, a stop or an error the same copy goes on with the rest, and brings what came to",
            "FROM since. Settings, pauses, tasks with their past, order and, where they are free,",
            "numbers come along; the journal stays. TO is made where there is none.",
            "JSON, a line for each queue:",
            #"  {"queue","outcome":"moved|copied|movedBefore|wouldMove|skipped","tasks":n,"#,
            #"  "running":n,"renumbered":n,"late":n,"looks":n,"digest":s|null,"error"}"#,
            #"and at the end: {"from","to","moved":n,"skipped":n,"stopped":bool,"error"},"#,
            #"  where error is {"code","message","fix"} or null"#,
        ],
        "stats": [
            #"JSON: {"windowSeconds","queues":[{"name","counts","attempts","attemptsCapped","#,
            #"  "succeeded","notSucceeded","p50Milliseconds","p95Milliseconds"}]}"#,
            "It counts the attempts that ended in the last hour; times are right to an eighth.",
        ],
        "failures": [
            #"JSON: {"failures":[{"error","count","first","last","types","attempts","filter"}],"#,
            #"  "more"}"#,
            "Errors are alike without their numbers, ids, times and quoted parts. filter selects",
            "the tasks of a row:  sluice retry --filter failure:KEY --over 10m",
        ],
        "break": [
            "FILTER asks what a task itself says: type, queue, group, label, session, payload,",
            "text, attempts, priority, id and words; with --on-failure also error. Such as",
            "  sluice break 'type:identify queue:profiles'",
            "  sluice break 'payload.user.id=7' --on-failure",
            "What comes before the task is started, and nothing behind it. Then step takes it, and",
            "resume QUEUE --breakpoints goes on. Its pause ends with the breakpoint: after an hour",
            "where --for says nothing, with break remove, with the console that set it.",
            #"JSON: {"breakpoints":[{"id","where","when":"before|after|onFailure","hits","#,
            #"  "atHit":n|null,"times":n|null,"until":T|null,"by","kept":bool,"log":bool}],"#,
            #"  "undo":n|null}"#,
        ],
        "break list": [#"JSON: {"breakpoints":[…]}, each as sluice help break says"#],
        "fault": [
            "FILTER asks what a task itself says, as that of break does. KIND is what goes wrong:",
            "  fail[=TEXT] | retry-after=D | give-up[=TEXT] | time-out | offline: the handler is",
            "    not called, and the attempt ends so",
            "  delay=D: the handler is called after this time",
            "  twice: the handler is called twice; the second call counts",
            "  crash-before | crash-after: the runner dies before or after the handler; only one",
            "    of work --allow-crash takes it",
            "An attempt has one fault, the oldest that matches. Such as",
            "  sluice fault 'type:identify queue:profiles' 'fail=HTTP 500' --times 3",
            "  sluice fault 'queue:mails' delay=2s --chance 0.1 --seed 7",
            #"JSON: {"faults":[{"id","where","kind":"fail|retryAfter|giveUp|timeOut|offline|"#,
            #"  delay|crashBefore|crashAfter|twice","text":s|null,"left":n|null,"chance":x|null,"#,
            #"  "seed":n|null,"applied":n,"until":T|null,"by"}],"undo":n|null}"#,
        ],
        "fault list": [#"JSON: {"faults":[…]}, each as sluice help fault says"#],
        "undo": [
            "EVENT is the number at the left of a line of log; without one it is your last verb.",
            "Again and again it takes back verb after verb; redo goes forward.",
        ],
        "log": ["The number at the left is what undo takes."],
        "watch": ["With --json each change is one line, an event as log gives it."],
        "results": [
            "Looking takes nothing: acknowledge says that a result was dealt with. failure is what",
            "is wrong with a payload as far as anybody sees who does not know its type.",
        ],
        "list": [
            "What a filter is made of: sluice help filter. Such as",
            "  sluice list --filter 'state:failed,retrying -type:track'",
            "  sluice list --filter 'timeout or refused payload.user.id=7'",
        ],
    ]
}
