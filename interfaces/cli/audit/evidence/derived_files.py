"""Derives seals.ndjson and sample.csv from the history."""
from exact_json import Number, lines, parse, sha256, write

HEADING = (0, '', 'event,position,time,type,event_id,hash')

def derived_files(folder, seed, size, first_event, last_event):
    """Returns the lines of each file, as (event, id of the event, text). The sample consists of the events from
    `first_event` to `last_event` with the lowest SHA-256 of seed, line feed and event number."""
    seals, sample = [], []
    for n, row in enumerate(map(parse, lines(folder, 'history.ndjson'))):
        if row.get('type') == 'AuditSealed':
            seals.append((n, row['id'], write({'event': Number(n), 'event_id': row['id'], 'seal': row['data']})))
        if first_event <= n <= last_event:
            cells = [str(n), *(row[part] for part in ('position', 'time', 'type', 'id', 'hash'))]
            sample.append((sha256(f'{seed}\n{n}'), n, row['id'], ','.join(cells)))
    return {'seals.ndjson': seals, 'sample.csv': [HEADING, *sorted(one[1:] for one in sorted(sample)[:size])]}
