"""Verification of Ed25519 signatures (RFC 8032), which the standard library lacks.

Verification handles no secrets, so it need not run in constant time.
"""

from __future__ import annotations

import hashlib

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)

# Point (x, y) in extended coordinates (X, Y, Z, T), where x = X/Z, y = Y/Z and xy = T/Z.
_Point = tuple[int, int, int, int]


def _add(a: _Point, b: _Point) -> _Point:
    f, g = (a[1] - a[0]) * (b[1] - b[0]) % _P, (a[1] + a[0]) * (b[1] + b[0]) % _P
    c, d = 2 * a[3] * b[3] * _D % _P, 2 * a[2] * b[2] % _P
    e, h, i, j = g - f, d - c, d + c, g + f
    return e * h % _P, i * j % _P, h * i % _P, e * j % _P


def _multiply(factor: int, point: _Point) -> _Point:
    result: _Point = (0, 1, 1, 0)
    while factor > 0:
        if factor & 1:
            result = _add(result, point)
        point = _add(point, point)
        factor >>= 1
    return result


def _is_same(a: _Point, b: _Point) -> bool:
    return (a[0] * b[2] - b[0] * a[2]) % _P == 0 and (a[1] * b[2] - b[1] * a[2]) % _P == 0


def _decode(encoded: bytes) -> _Point:
    """Returns the point that 32 bytes encode. Raises ``ValueError`` if they encode none."""
    y = int.from_bytes(encoded, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    if len(encoded) != 32 or y >= _P:
        raise ValueError("not an encoded point")
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT % _P
    if (x * x - square) % _P or (x == 0 and sign):
        raise ValueError("not an encoded point")
    if x & 1 != sign:
        x = _P - x
    return x, y, 1, x * y % _P


_BASE = _decode((4 * pow(5, -1, _P) % _P).to_bytes(32, "little"))


def is_signed(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Returns whether a signature of a message was made with the private half of a public key."""
    scalar = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or scalar >= _ORDER:
        return False
    try:
        key, commitment = _decode(public_key), _decode(signature[:32])
    except ValueError:
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    challenge = int.from_bytes(digest, "little") % _ORDER
    return _is_same(_multiply(scalar, _BASE), _add(commitment, _multiply(challenge, key)))
