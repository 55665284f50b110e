#!/bin/sh
# `make lint`: layers, names, style, lengths, cppcheck (a warning is an error).
cd "$(dirname "$0")/../.." || exit
tests/stack/deps.sh lint && tests/stack/deps.sh test python || exit
python=${PRUNED_DEPS:-.deps}/venv/bin/python
failed=0
"$python" tests/lint/longest.py --all || failed=1
"$python" tests/lint/mirrored.py || failed=1
"$python" tests/lint/layers.py || failed=1
"$python" tests/lint/kinds.py || failed=1
"$python" tests/lint/owned.py || failed=1
"$python" tests/lint/qualified.py || failed=1
"$python" tests/lint/built_html.py || failed=1
"$python" tests/lint/named.py || failed=1
"$python" tests/lint/unused.py || failed=1
"$python" tests/lint/prefixed.py || failed=1
"$python" tests/lint/wrapped.py || failed=1
"$python" tests/lint/formatted.py || failed=1

mkdir -p build/cppcheck # what has not changed is not read again
cppcheck -q --cppcheck-build-dir=build/cppcheck -j 2 --std=c11 --language=c --library=gtk --library=posix \
  --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
  --suppressions-list=tests/lint/cppcheck.txt \
  '-Djson_object_foreach(object,key,value)=while (next (object, &key, &value))' \
  '-Djson_object_foreach_safe(object,then,key,value)=while ((then = 0) == 0 && next (object, &key, &value))' \
  '-Djson_array_foreach(array,index,value)=while (next (array, &index, &value))' \
  '-DG_GNUC_PRINTF(format,first)=' '-DG_DEFINE_QUARK(name,function)=' \
  -DPRUNED_FAULTS -Isrc -Iinclude src && echo 'cppcheck: nothing found' || failed=1
exit $failed
