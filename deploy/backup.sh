#!/bin/sh
# Copies an index while a server uses it: backup.sh INDEX COPY [PYTHON]
#
# The lock of the index is held meanwhile, so nobody adds a document or merges segments; searches go on. Whoever writes
# waits for 30 seconds at the most, so segments are linked and not copied if COPY is on the same file system: they never
# change. Then check the copy with 'whorl index verify COPY'.
set -eu
if [ $# -lt 2 ] || [ ! -f "$1/index.db" ] || [ -e "$2" ]; then
    echo "usage: backup.sh INDEX COPY [PYTHON]: INDEX must be one, and COPY must not exist" >&2
    exit 2
fi
index=$1 copy=$2 python=${3:-/opt/whorl/bin/python}
umask 077
mkdir -p "$copy/segments"
exec 9<>"$index/lock"
flock 9
# A copy made by the database itself: index.db alone lacks what is still in its log. The one of the service has tokens
# (hashed), collections, receipts of deletions and the list of jobs.
"$python" - "$index" "$copy" <<'PYTHON'
import pathlib
import sys

import apsw

for name in ("index.db", "service.sqlite"):
    source = pathlib.Path(sys.argv[1]) / name
    if source.exists():
        connection = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READWRITE)
        connection.set_busy_timeout(10_000)
        connection.execute("VACUUM INTO ?", (str(pathlib.Path(sys.argv[2]) / name),))
        connection.close()
        written = apsw.Connection(str(pathlib.Path(sys.argv[2]) / name))
        written.execute("PRAGMA journal_mode = WAL")
        written.close()
PYTHON
for segment in "$index"/segments/*.segment; do
    [ -e "$segment" ] || continue
    ln "$segment" "$copy/segments/" 2>/dev/null || cp -p "$segment" "$copy/segments/"
done
cp -p "$index/secret.key" "$copy/secret.key"
# What was uploaded for jobs, and their results; a job that is running now is run again after a restore.
if [ -d "$index/jobs" ]; then
    cp -a "$index/jobs" "$copy/jobs"
fi
