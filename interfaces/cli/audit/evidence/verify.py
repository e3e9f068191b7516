"""Verifies the folder that contains this file: python3 verify.py [audpk_KEY [FOLDER]]. Needs only Python 3.8."""
import json, os, re, sys; sys.dont_write_bytecode = True
from derived_files import derived_files
from exact_json import Number, canonical, digest, lines, milliseconds, parse, pick, sha256, text_of, write
from signed_records import head_flaw, is_forged, is_signed, signed_states
def history_flaw(folder, key):  # first and last event that may differ, id of the event, reason
    rows, n, position, proven, placed, end = lines(folder, 'history.ndjson'), 0, Number(0), 0, 0, ()
    first = next(rows, '')
    header = pick(parse(first), ['organization_id', 'export_time', 'key_id', 'public_key'])
    if write({'chainfold_audit': Number(1), **header}) != first: return 0, 0, '', 'not an export'
    if header.get('public_key') != key: return 0, 0, '', 'signed under another key than the trusted one'
    owner, line = header.get('organization_id'), sha256(first)
    hash, places = sha256(f'chainfold-audit-1\n{owner}'), sha256(f'chainfold-audit-2 places\n{owner}')
    states, accepted = signed_states(folder, owner, key)
    for text in rows:
        row = parse(text)
        if end != (): return n + 1, n + 1, '', 'a line behind the head'
        if 'head' in row:
            own = {'organization_id': owner, 'count': Number(n), 'position': position, 'hash': hash, 'line': line}
            end = head_flaw(text, row, {**own, **pick(header, ['key_id'])}, key, proven, max([n, *states]))
            continue
        n, event_id = n + 1, row['id'] if type(row.get('id')) is str else ''
        try:
            parts = {part: row[part] for part in ('stream', 'id', 'type', 'data', 'metadata')}
            position, time, hash = row['position'], row['time'], sha256(f'{hash}\n{canonical(parts)}')
            places = sha256(f'{places}\n{canonical([Number(n), position, milliseconds(time)])}')
            line = sha256(f'{line}\n{canonical([Number(n), hash, position, time])}')
            exact = {'n': Number(n), 'position': position, 'time': time, **parts, 'hash': hash, 'line': line}
            if write(exact) != text: raise ValueError(text)
        except (KeyError, TypeError, ValueError): return n, n, event_id, 'altered, missing or moved'
        if n > accepted and is_forged(row, owner, key): return n, n, event_id, 'not signed by the trusted key'
        sealed = states.get(n, [])
        if any(one != hash for one, _ in sealed): return proven + 1, n, '', 'not what was sealed'
        if any(at not in (None, places) for _, at in sealed): return placed + 1, n, '', 'at another position or time'
        proven, placed = n if sealed else proven, n if any(at for _, at in sealed) else placed
    return (n + 1, n + 1, '', 'missing: the file ends before its signed head') if end == () else end
def find_flaw(folder, key):  # file, first and last event, id of the event, reason; None for a valid folder
    flaw = history_flaw(folder, key)
    if flaw: return ('history.ndjson', *flaw)
    text, signature = text_of(folder, 'manifest.json') or '', text_of(folder, 'manifest.sig') or ''
    if signature[-1:] != '\n' or not is_signed(key, f'chainfold-audit-2 evidence\n{text}', signature[:-1]):
        return 'manifest.json', 0, 0, '', 'not one that the trusted key signed'
    sample, counts, files = (json.loads(text)[part] for part in ('sample', 'counts', 'files'))
    digests = {file['name']: digest(folder, file['name']) for file in files}
    for name in (name for name in digests if digests[name] is None): return name, 0, 0, '', 'missing'
    for name, expected in derived_files(folder, **sample, **pick(counts, ['first_event', 'last_event'])).items():
        found = (text_of(folder, name) or '').split('\n')
        for at, (event, event_id, line) in enumerate([*expected, (0, '', '')]):
            if found[at:at + 1] != [line]: return name, event, event, event_id, 'altered'
    for name in (one['name'] for one in files if digests[one['name']] != one['sha256']): return name, 0, 0, '', 'altered'
def main(key='', folder=os.path.dirname(os.path.abspath(__file__))):
    own = str(parse(next(lines(folder, 'history.ndjson'), '')).get('public_key'))
    is_typo = key != own and len(key) == len(own) and sum(map(str.__ne__, key, own)) < 9 and not find_flaw(folder, own)
    if is_typo or key and not re.fullmatch('audpk_[A-Za-z0-9+/]{43}=', key): return print('That is not a key.') or 2
    file, event, last, event_id, reason = find_flaw(folder, key or own) or ('', 0, 0, '', '')
    which = f'event {event}' + (event_id and f' ({event_id})') if event else 'the file'
    if event != last: which = f'something in the events {event} to {last}'
    if file: return print(f'NOT VALID, in {file}: {which} is {reason}') or 1
    return print('valid') or 0 if key else print('NOT PROVEN: consistent, but no key is trusted. Pass the key.') or 2
if __name__ == '__main__': sys.exit(main(*sys.argv[1:]))
