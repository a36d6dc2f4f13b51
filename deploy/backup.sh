#!/bin/sh
# Copies an index while a server uses it: backup.sh INDEX COPY [PYTHON]
#
# It is 'whorl index backup', by the Python that the service runs with. Nobody adds a document or merges segments
# meanwhile; searches go on. Segments are linked and not copied if COPY is on the same file system: they never change.
set -eu
if [ $# -lt 2 ] || [ ! -f "$1/index.db" ] || [ -e "$2" ]; then
    echo "usage: backup.sh INDEX COPY [PYTHON]: INDEX must be one, and COPY must not exist" >&2
    exit 2
fi
exec "${3:-/opt/whorl/bin/python}" -m whorl index backup "$1" "$2"
