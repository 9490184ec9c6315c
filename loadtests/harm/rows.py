"""Compares two copies of a database row by row: what changed, what is gone, and what is new.

Rows are known by the table's primary key, and where there is none by all that they hold. What may differ is declared by
`Kept`, each with its reason.
"""

import sqlite3
from collections import Counter
from fnmatch import fnmatch

# At most so many differences are named one by one.
NAMED = 40


class Kept:
    """What a comparison leaves out: tables, and columns (`table.column`), each with the reason."""

    def __init__(self, reasons):
        self.reasons = reasons

    def leaves_out(self, name):
        return any(fnmatch(name, pattern) for pattern in self.reasons)


def rows(database, kept):
    """For each table its rows by key; a row is what it holds by column."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    connection.text_factory = bytes
    found = {}
    try:
        names = [name.decode() for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in names:
            if kept.leaves_out(table):
                continue
            columns = [(row[1].decode(), row[5]) for row in connection.execute(f'PRAGMA table_info("{table}")')]
            keys = [name for name, part in columns if part]
            wanted = [name for name, _ in columns if not kept.leaves_out(f"{table}.{name}")]
            listed = ", ".join(f'"{name}"' for name in dict.fromkeys([*keys, *wanted]))
            all_rows = [dict(zip(dict.fromkeys([*keys, *wanted]), row)) for row in connection.execute(f'SELECT {listed} FROM "{table}"')]
            found[table] = (keys, all_rows)
    finally:
        connection.close()
    return found


def shown(value):
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return text if len(text) <= 80 else text[:77] + "…"


def compare(before, after):
    """Counts of rows changed, gone and new, with the first of those that changed or are gone."""
    changed = gone = new = 0
    named = []

    def name(what, table, row, columns=()):
        if len(named) < NAMED:
            named.append({"what": what, "table": table, "row": {key: shown(value) for key, value in row.items()}, "columns": list(columns)})

    for table, (keys, old) in before.items():
        recent = after.get(table, (keys, []))[1]
        if not keys:
            left = Counter(frozenset(row.items()) for row in recent)
            old_rows = Counter(frozenset(row.items()) for row in old)
            for row, count in (old_rows - left).items():
                gone += count
                name("gone", table, dict(row))
            new += sum((left - old_rows).values())
            continue
        by_key = {tuple(row[key] for key in keys): row for row in recent}
        for row in old:
            other = by_key.pop(tuple(row[key] for key in keys), None)
            if other is None:
                gone += 1
                name("gone", table, row)
            elif other != row:
                changed += 1
                columns = [column for column in row if row[column] != other[column]]
                name("changed", table, {column: row[column] for column in [*keys, *columns]}, columns)
        new += len(by_key)
    new += sum(len(recent) for table, (_, recent) in after.items() if table not in before)
    return {"rows_changed": changed, "rows_gone": gone, "rows_new": new, "named": named}
