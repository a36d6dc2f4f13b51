"""Copy Parquet tables without some rows or parts of texts: the same columns, types, metadata and codecs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.errors import DocumentError
from whorl.formats.corpora.parquet import arrow
from whorl.formats.corpora.parquet_rows import check_whole, exact_unit, int96_columns


def without_rows(rows: NDArray[np.int64]) -> Callable[[Any, int], Any]:
    """Return a change for ``copy_parquet`` that removes rows, counted from 1."""

    def change(group: Any, first: int) -> Any:
        is_kept = np.ones(len(group), np.bool_)
        is_kept[rows[(rows >= first) & (rows < first + len(group))] - first] = False
        return group.filter(arrow()[0].array(is_kept))

    return change


def with_values(group: Any, place: int, values: list[Any]) -> Any:
    """Return a row group with other values in a column of texts. An error of decoding stands for the bytes that are
    there."""
    pa, field = arrow()[0], group.schema.field(place)
    if not any(isinstance(value, UnicodeDecodeError) for value in values):
        return group.set_column(place, field, pa.array(values, field.type))
    plain = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    raw = [value.object if isinstance(value, UnicodeDecodeError) else value for value in values]
    encoded = [value.encode() if isinstance(value, str) else value for value in raw]
    as_bytes = pa.array(encoded, pa.large_binary() if pa.types.is_large_string(plain) else pa.binary())
    texts = as_bytes.view(plain)  # a cast would check them
    return group.set_column(place, field, texts if plain == field.type else texts.cast(field.type))


def copy_parquet(path: Path, target: Path, change: Callable[[Any, int], Any]) -> str:
    """Copy Parquet with the same row groups, columns, metadata and codecs; return what is damaged.

    ``change`` gets each row group and the number of its first row, from 1, and returns what is written. Raises
    DocumentError if the copy would have other values or types.
    """
    pa, pq = arrow()
    lost, first = list[str](), 1
    check_whole(path)
    with pq.ParquetFile(path, coerce_int96_timestamp_unit=_time_unit(path)) as file:
        data, plain = file.metadata, without_views(file.schema_arrow)
        with _writer(file, target, plain) as writer:
            for number in range(data.num_row_groups):
                count = data.row_group(number).num_rows
                try:
                    group = file.read_row_group(number)
                except (OSError, pa.ArrowException) as error:
                    lost.append(f"row group {number}: {' '.join(str(error).split())[:160]}")
                else:
                    changed = change(group if plain is None else group.cast(plain), first)
                    if len(changed):
                        writer.write_table(changed, row_group_size=count)
                first += count
            if plain is not None:
                writer.add_key_value_metadata(data.metadata)
    return f"damaged: {'; '.join(lost)}" if lost else ""


def _writer(file: Any, target: Path, plain: Any) -> Any:
    """Open a file of the same types. With ``plain`` types, Arrow's schema is left to the caller, who copies it."""
    _, pq = arrow()
    data = file.metadata
    return pq.ParquetWriter(
        target, plain or file.schema_arrow, version=_version(file), compression=_codecs(data),
        use_compliant_nested_type=False,  # the names of the elements of lists stay as they are
        use_deprecated_int96_timestamps=bool(int96_columns(file)), store_schema=plain is None,
    )  # fmt: skip


def _time_unit(path: Path) -> str | None:
    """Return the unit in which timestamps of INT96 are copied; None if there are none."""
    _, pq = arrow()
    with pq.ParquetFile(path) as file:
        columns, groups = int96_columns(file), range(file.metadata.num_row_groups)
        others = [column.path for column in _leaves(file) if column.physical_type == "INT64" and _is_time(column)]
    if not columns:
        return None
    if others:
        raise DocumentError(
            f"{columns[0]!r} has timestamps of the type INT96 and {others[0]!r} of INT64, and Arrow writes one type "
            "only; the file is sound: convert one of the columns",
            str(path),
        )
    unit = exact_unit(path, columns, groups)
    if unit is None:
        raise DocumentError(
            f"{' or '.join(map(repr, columns))} has timestamps before 1677 or after 2262 and others with nanoseconds, "
            "which Arrow cannot hold together; the file is sound: round them to microseconds",
            str(path),
        )
    return unit


def _leaves(file: Any) -> list[Any]:
    return [file.schema.column(number) for number in range(len(file.schema))]


def _is_time(column: Any) -> bool:
    return bool(column.logical_type.type == "TIMESTAMP")


def _version(file: Any) -> str:
    """Return the version of the format. Version 1.0 has no nanoseconds and no unsigned numbers of 32 bits for Arrow;
    other writers put them in files of this version all the same."""
    newer = any(
        (column.physical_type == "INT64" and _is_time(column) and "timeUnit=nanoseconds" in str(column.logical_type))
        or "bitWidth=32, isSigned=false" in str(column.logical_type)
        for column in _leaves(file)
    )
    return "2.6" if newer else str(file.metadata.format_version)


def _codecs(data: Any) -> str | dict[str, str]:
    """Return the codec of each column of a Parquet file."""
    if not data.num_row_groups:
        return "snappy"
    group = data.row_group(0)
    columns = (group.column(number) for number in range(group.num_columns))
    codecs = {column.path_in_schema: column.compression for column in columns}
    return {name: "none" if codec == "UNCOMPRESSED" else codec.lower() for name, codec in codecs.items()}


def without_views(schema: Any) -> Any:
    """Return a schema with other types in place of views of strings and bytes, which Arrow neither filters nor slices;
    None if it has none. In the file both are the same."""
    pa, _ = arrow()
    kinds = [_plain(field.type) for field in schema]
    if all(kind is None for kind in kinds):
        return None
    fields = [field if kind is None else field.with_type(kind) for field, kind in zip(schema, kinds, strict=True)]
    return pa.schema(fields, schema.metadata)


def _plain(kind: Any) -> Any:
    """Return a type without views; None if it has none."""
    pa, types = arrow()[0], arrow()[0].types
    if types.is_string_view(kind):
        return pa.large_string()
    if types.is_binary_view(kind):
        return pa.large_binary()
    if not types.is_nested(kind):
        return None
    fields = [kind.field(number) for number in range(kind.num_fields)]
    if types.is_map(kind):
        fields = [kind.key_field, kind.item_field]
    plains = [_plain(field.type) for field in fields]
    if all(plain is None for plain in plains):
        return None
    return _nested(kind, [f if p is None else f.with_type(p) for f, p in zip(fields, plains, strict=True)])


def _nested(kind: Any, fields: list[Any]) -> Any:
    """Return a nested type with these parts."""
    pa, types = arrow()[0], arrow()[0].types
    if types.is_struct(kind):
        return pa.struct(fields)
    if types.is_map(kind):
        return pa.map_(*fields, keys_sorted=kind.keys_sorted)
    if types.is_fixed_size_list(kind):
        return pa.list_(fields[0], kind.list_size)
    if types.is_list(kind) or types.is_large_list(kind):
        return pa.list_(fields[0]) if types.is_list(kind) else pa.large_list(fields[0])
    raise DocumentError(f"Arrow cannot filter columns of {kind}; the file is sound: convert them to lists of strings")
