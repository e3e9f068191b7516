"""Builds the package with the standard library only (PEP 517), so that installing it downloads nothing."""

import base64
import hashlib
import io
import pathlib
import tarfile
import zipfile

_HERE = pathlib.Path(__file__).parent
_NAME, _VERSION = "chainfold", "0.1.0"
_DIST_INFO = f"{_NAME}-{_VERSION}.dist-info"
_WHEEL = "Wheel-Version: 1.0\nGenerator: chainfold\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def _metadata():
    fields = {
        "Metadata-Version": "2.1",
        "Name": _NAME,
        "Version": _VERSION,
        "Summary": "Client of the chainfold API, with the standard library only",
        "License": "MIT",
        "Requires-Python": ">=3.10",
        "Description-Content-Type": "text/markdown",
    }
    head = "".join(f"{name}: {value}\n" for name, value in fields.items())
    return f"{head}\n{(_HERE / 'README.md').read_text(encoding='utf-8')}"


def _sources():
    found = sorted((_HERE / _NAME).iterdir())
    return {f"{_NAME}/{path.name}": path.read_bytes() for path in found if path.suffix in (".py", ".typed")}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = _sources()
    files[f"{_DIST_INFO}/METADATA"] = _metadata().encode()
    files[f"{_DIST_INFO}/WHEEL"] = _WHEEL.encode()
    lines = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(content)}\n")
    files[f"{_DIST_INFO}/RECORD"] = "".join([*lines, f"{_DIST_INFO}/RECORD,,\n"]).encode()
    name = f"{_NAME}-{_VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            wheel.writestr(zipfile.ZipInfo(path), content, zipfile.ZIP_DEFLATED)
    return name


def build_sdist(sdist_directory, config_settings=None):
    files = _sources()
    for name in ("README.md", "build_backend.py", "pyproject.toml"):
        files[name] = (_HERE / name).read_bytes()
    files["PKG-INFO"] = _metadata().encode()
    name = f"{_NAME}-{_VERSION}.tar.gz"
    with tarfile.open(pathlib.Path(sdist_directory) / name, "w:gz") as archive:
        for path, content in files.items():
            entry = tarfile.TarInfo(f"{_NAME}-{_VERSION}/{path}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return name
