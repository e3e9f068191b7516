"""Verifies Ed25519 signatures (RFC 8032) by plain arithmetic, because the standard library of Python cannot."""
import base64, hashlib

P, Q = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P

def add(a, b):
    """Adds two points in extended coordinates (X, Y, Z, T)."""
    e, f = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    g, h = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    return (f - e) * (h - g) % P, (h + g) * (f + e) % P, (h - g) * (h + g) % P, (f - e) * (f + e) % P

def times(n, a):
    half = times(n // 2, add(a, a)) if n else (0, 1, 1, 0)
    return add(half, a) if n & 1 else half

def is_same(a, b):
    return (a[0] * b[2] - b[0] * a[2]) % P == 0 and (a[1] * b[2] - b[1] * a[2]) % P == 0

def point(data):
    sign, y = divmod(int.from_bytes(data, 'little'), 2**255)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    roots = [pow(square, (P + 3) // 8, P) * one % P for one in (1, pow(2, P // 4, P))]
    root = next((x for x in roots if x * x % P == square), None)
    if root is None: raise ValueError('not a point of the curve')
    x = root if root & 1 == sign else P - root
    return x, y, 1, x * y % P

BASE = point((4 * pow(5, -1, P) % P).to_bytes(32, 'little'))

def is_signed(key, text, signature):
    """Tells whether a key (audpk_...) signed a text; the signature is in base64."""
    try:
        public, raw = base64.b64decode(key[6:]), base64.b64decode(signature, validate=True)
        digest = int.from_bytes(hashlib.sha512(raw[:32] + public + text.encode()).digest(), 'little')
        scalar = int.from_bytes(raw[32:], 'little')
        if len(raw) != 64 or scalar >= Q or base64.b64encode(raw).decode() != signature: return False
        return is_same(times(scalar, BASE), add(point(raw[:32]), times(digest % Q, point(public))))
    except (TypeError, ValueError): return False
