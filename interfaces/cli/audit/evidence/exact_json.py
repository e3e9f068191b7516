"""Reads and writes JSON exactly as the service does, so that hashes of the text agree."""
import hashlib, json, os, re
from datetime import datetime

class Number(str):
    """Number as text, with exactly the digits that the file has."""

def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()

def parse(line):
    """Returns the JSON object in a line, or an empty object if the line has none."""
    try: value = json.loads(line, parse_int=Number, parse_float=Number)
    except (ValueError, RecursionError): value = None
    return value if isinstance(value, dict) else {}

def write(value, sort=list):
    if isinstance(value, Number): return value
    if isinstance(value, list): return '[' + ','.join(write(one, sort) for one in value) + ']'
    if isinstance(value, dict):
        return '{' + ','.join(f'{write(key)}:{write(value[key], sort)}' for key in sort(value)) + '}'
    return re.sub('[\ud800-\udfff]', lambda lone: f'\\u{ord(lone[0]):04x}', json.dumps(value, ensure_ascii=False))

def canonical(value):
    """Sorts the keys of all objects by their UTF-16 code units, as JavaScript does."""
    return write(value, lambda keys: sorted(keys, key=lambda key: key.encode('utf-16-be', 'surrogatepass')))

def pick(row, names):
    return {name: row[name] for name in names if name in row}

def milliseconds(text):
    """Returns the Unix time of an ISO 8601 time as the service writes it; raises ValueError for other texts."""
    time = datetime.fromisoformat(text[:-1] + '+00:00')
    if time.isoformat(timespec='milliseconds')[:23] + 'Z' != text: raise ValueError(text)
    return Number(round(time.timestamp() * 1000))

def digest(folder, name):
    """Returns the SHA-256 of a file, or None if it is missing."""
    path, sha = os.path.join(folder, name), hashlib.sha256()
    if not os.path.isfile(path): return None
    with open(path, 'rb') as file:
        for piece in iter(lambda: file.read(2**20), b''): sha.update(piece)
    return sha.hexdigest()

def text_of(folder, name):
    """Returns the text of a file, or None if it is missing."""
    path = os.path.join(folder, name)
    if not os.path.isfile(path): return None
    with open(path, encoding='utf-8', errors='replace', newline='') as file: return file.read()

def lines(folder, name):
    """Yields the lines of a file, which end at line feeds only. A missing file has no lines."""
    path = os.path.join(folder, name)
    if not os.path.isfile(path): return
    with open(path, encoding='utf-8', errors='replace', newline='\n') as file:
        for line in file: yield line[:-1] if line.endswith('\n') else line
