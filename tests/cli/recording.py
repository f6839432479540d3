"""The records of a recording as dictionaries, by the Python package, and the port's constants."""
import pathlib
import sys

import karat

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "dpi" / "port"))
from records import CONSTANTS, HEADER, RECORDS  # noqa: E402

CONSTANT = {name: value for name, value, _ in CONSTANTS}
FIELDS = {record.kind: (record.name, [field.name for field in record.fields if field.count == 1]) for record in RECORDS}


def read(path):
    """Each record as {"record": name, field: value}, without arrays; and {"record": "tick" or "object", "cycle"}."""
    for entry in karat.Recording(path):
        if isinstance(entry, (karat.Tick, karat.Objection)):
            yield {"record": "tick" if isinstance(entry, karat.Tick) else "object", "cycle": entry.cycle}
            continue
        name, fields = FIELDS[entry.h.kind]
        yield {"record": name, **{field: getattr(entry.h, field) for field, *_ in HEADER}, **{field: getattr(entry, field) for field in fields}}


def write_twice(path, other):
    """A recording of the same records, one after the other, and then once more."""
    with karat.RecordingWriter(other) as writer:
        for _ in range(2):
            for entry in karat.Recording(path):
                if isinstance(entry, karat.records.Record):
                    writer.record(entry)
