"""Checks the signed records of a history: seals, moves to other stores, accepted losses, and the head at its end."""
from ed25519 import is_signed
from exact_json import canonical, lines, parse, pick, write

KINDS = {'AuditSealed': 'seal', 'HistoryMoved': 'moved', 'LossAccepted': 'loss', 'LogLossAccepted': 'log-loss'}
SEAL = ['organizationId', 'count', 'position', 'hash', 'places', 'log']

def is_genuine(row, owner, key):
    kind, data = row.get('type'), row.get('data')
    if kind not in list(KINDS) or not isinstance(data, dict) or data.get('organizationId') != owner: return False
    version, names = 2, SEAL if kind == 'AuditSealed' else set(data) - {'keyId', 'signature'}
    if kind == 'AuditSealed' and data.get('places') is None: version, names = 1, SEAL[:4]
    text = f'chainfold-audit-{version} {KINDS[kind]}\n{canonical(pick(data, names))}'
    return is_signed(key, text, data.get('signature'))

def is_forged(row, owner, key):
    return row['type'] in list(KINDS) and not is_genuine(row, owner, key)

def signed_states(folder, owner, key):
    """Returns the signed states, and the number of events that an operator accepted. The states are lists of (hash of
    the first n events, hash of their places), keyed by n. Seals before an accepted loss do not count, nor do places
    before a move."""
    seals, moved, accepted, states = [], None, 0, {}
    for row in (parse(line) for line in lines(folder, 'history.ndjson') if any(f'"{kind}"' in line for kind in KINDS)):
        if not is_genuine(row, owner, key): continue
        if row['type'] == 'AuditSealed': seals.append(row['data'])
        if row['type'] == 'HistoryMoved': moved = row['data']
        if row['type'] == 'LossAccepted': seals, moved = [row['data']['found']], None
        if row['type'] == 'LossAccepted': accepted = int(row['data']['found']['count'])
    for seal in seals:
        places = None if moved and int(seal['count']) <= int(moved['count']) else seal.get('places')
        states.setdefault(int(seal['count']), []).append((seal['hash'], places))
    if moved: states.setdefault(int(moved['count']), []).append((moved['hash'], moved['after']))
    return states, accepted

def head_flaw(text, row, own, key, proven, longest):
    """Returns the flaw of the last line, or None; `own` is the head computed from the events."""
    n, stated, signature = int(own['count']), row['head'], row.get('signature')
    if not is_signed(key, f'chainfold-audit-1 export\n{canonical(stated)}', signature):
        return proven + 1, n, '', 'not signed for: the trusted key did not sign the head'
    count = int(stated['count'])
    if count != n: return min(count, n) + 1, max(count, n), '', 'missing' if count > n else 'inserted'
    if write({'head': own, 'signature': signature}) != text: return proven + 1, n, '', 'not what the head signs'
    return (proven + 1, longest, '', 'missing: more events were sealed') if longest > n else None
