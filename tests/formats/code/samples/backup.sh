#!/bin/bash
# Keeps the newest copies of a folder.
set -eu
source ./settings.sh

folder="größe"
target=/var/copies
keep=5
count=0

say() {
  local level=$1
  shift
  if [ "$level" -gt 1 ]; then
    echo "backup: $*" >&2
  fi
}

copy_one() {
  local file=$1 name
  name=$(basename "$file")
  cp -p "$file" "$target/$name.$count" || return 1
  count=$((count + 1))
}

for file in "$folder"/*.txt; do
  [[ -f $file ]] || continue
  copy_one "$file"
  say 2 "copied $file"
done

while read -r old; do
  if (( keep > 0 )); then
    keep=$((keep - 1))
  else
    rm -f "$target/$old"
  fi
done < <(ls -t "$target")

case "$count" in
  0) say 2 nothing ;;
  1|2) say 1 few ;;
  *) say 1 many ;;
esac

until [ "$count" -lt 1 ]; do
  count=$((count - 1))
  ls "$target" | grep -c txt && say 1 "left $count"
done
exit 0
