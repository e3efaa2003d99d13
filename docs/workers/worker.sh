#!/bin/sh
# A handler that stays, in plain sh. A task is one line of JSON that begins with its id.
while IFS= read -r task; do
    id=${task#'{"id":'}
    id=${id%%,*}
    echo '{"fraction":0.5,"text":"half of it"}'
    echo "looking at #$id" >&2
    case $task in
        *'"fail":true'*) outcome='"retry","error":"it was to fail","after":"1s"' ;;
        *) outcome='"success","result":"done"' ;;
    esac
    echo "{\"id\":$id,\"outcome\":$outcome}"
done
