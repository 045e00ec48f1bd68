"""Detached signatures of certificates: ed25519, 64 bytes in a file beside the certificate, compatible with openssl."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from litecheck.errors import ConfigError, install_hint
from litecheck.files import atomic_write, read_file

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

SUFFIX = ".sig"


def private_key(path: str | Path) -> Ed25519PrivateKey:
    """Load a private key from a PEM file. Raise ConfigError for a file without an unencrypted ed25519 key."""
    serialization, ed25519 = _library()
    content = _content(path)
    try:
        key = serialization.load_pem_private_key(content, None)
    except TypeError:
        raise ConfigError(f"{path}: the key is encrypted; sign with one that is not") from None
    except Exception as error:  # what the library raises depends on the file
        raise ConfigError(f"{path}: no private key in PEM: {error}") from None
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise ConfigError(
            f"{path}: no ed25519 key; make one: openssl genpkey -algorithm ed25519 -out key.pem"
        )
    return cast("Ed25519PrivateKey", key)


def public_key(path: str | Path) -> Ed25519PublicKey:
    """Load a public key from a PEM file. Raise ConfigError for a file without an ed25519 key."""
    serialization, ed25519 = _library()
    content = _content(path)
    try:
        key = serialization.load_pem_public_key(content)
    except Exception:  # what the library raises depends on the file
        private = b" PRIVATE KEY-----" in content
        found = "a private key" if private else "no key in PEM"
        step = ". Next step: openssl pkey -in KEY.pem -pubout -out KEY.pub.pem" if private else ""
        raise ConfigError(f"{path}: got {found}, expected the public key{step}") from None
    if not isinstance(key, ed25519.Ed25519PublicKey):
        raise ConfigError(f"{path}: no ed25519 key")
    return cast("Ed25519PublicKey", key)


def sign(file: str | Path, key: Ed25519PrivateKey) -> Path:
    """Sign a file's bytes and return the signature file, named like the file with the suffix ``.sig``."""
    target = Path(f"{file}{SUFFIX}")
    atomic_write(target, key.sign(_content(file)))
    return target


def has_valid_signature(file: str | Path, key: Ed25519PublicKey) -> bool:
    """Return True if the signature beside a file is valid for its bytes and this key. Raise ConfigError without a
    signature."""
    from cryptography.exceptions import InvalidSignature

    try:
        key.verify(_content(f"{file}{SUFFIX}"), _content(file))
    except InvalidSignature:
        return False
    return True


def _library() -> tuple[Any, Any]:
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise ConfigError(f"signatures need the package cryptography: {install_hint('sign')}") from None
    return serialization, ed25519


def _content(path: str | Path) -> bytes:
    return read_file(path)
