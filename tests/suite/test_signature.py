"""Signatures of certificates: by ed25519 keys as openssl writes them, and files that are no keys."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from litecheck.errors import ConfigError
from litecheck.suite.signature import has_valid_signature, private_key, public_key, sign

serialization = pytest.importorskip(
    "cryptography.hazmat.primitives.serialization", reason="needs the extra 'sign'"
)


def keys(folder: Path, name: str = "key") -> tuple[Path, Path]:
    """Write a private and a public key in PEM."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    private, public = folder / f"{name}.pem", folder / f"{name}.pub.pem"
    plain = serialization.NoEncryption()
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    private.write_bytes(key.private_bytes(pem, pkcs8, plain))
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    public.write_bytes(key.public_key().public_bytes(pem, form))
    return private, public


def test_a_signature_is_of_every_byte_and_of_one_key(tmp_path: Path) -> None:
    private, public = keys(tmp_path)
    file = tmp_path / "certificate.json"
    file.write_text("{}\n")
    made = sign(file, private_key(private))
    assert made.name == "certificate.json.sig"
    assert len(made.read_bytes()) == 64
    assert has_valid_signature(file, public_key(public))
    assert not has_valid_signature(file, public_key(keys(tmp_path, "other")[1]))
    file.write_text("{}\t")
    assert not has_valid_signature(file, public_key(public))
    made.write_bytes(b"short")
    assert not has_valid_signature(file, public_key(public))
    made.unlink()
    with pytest.raises(ConfigError, match="cannot be read"):
        has_valid_signature(file, public_key(public))


def test_openssl_agrees(tmp_path: Path) -> None:
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("there is no openssl")
    private, public = tmp_path / "key.pem", tmp_path / "key.pub.pem"
    for words in (
        ["genpkey", "-algorithm", "ed25519", "-out", str(private)],
        ["pkey", "-in", str(private), "-pubout", "-out", str(public)],
    ):
        subprocess.run([program, *words], check=True, capture_output=True)
    file = tmp_path / "certificate.json"
    file.write_text("{}\n")
    made = sign(file, private_key(private))
    assert has_valid_signature(file, public_key(public))
    words = [
        "pkeyutl",
        "-verify",
        "-pubin",
        "-inkey",
        str(public),
        "-rawin",
        "-in",
        str(file),
        "-sigfile",
        str(made),
    ]
    assert subprocess.run([program, *words], check=False, capture_output=True).returncode == 0


def test_a_file_that_is_no_key_is_an_error(tmp_path: Path) -> None:
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

    private, public = keys(tmp_path)
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    other = generate_private_key(SECP256R1())
    (tmp_path / "ec.pem").write_bytes(other.private_bytes(pem, pkcs8, serialization.NoEncryption()))
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    (tmp_path / "ec.pub.pem").write_bytes(other.public_key().public_bytes(pem, form))
    locked = serialization.BestAvailableEncryption(b"secret")
    (tmp_path / "locked.pem").write_bytes(other.private_bytes(pem, pkcs8, locked))
    (tmp_path / "text.pem").write_text("no key")
    for read, name, told in (
        (private_key, "ec.pem", "no ed25519 key; make one: openssl genpkey"),
        (private_key, "locked.pem", "is encrypted"),
        (private_key, public.name, "no private key in PEM"),
        (private_key, "nothing.pem", "cannot be read"),
        (public_key, "ec.pub.pem", "no ed25519 key"),
        (public_key, private.name, "got a private key, expected the public key. Next step: openssl pkey"),
        (public_key, "text.pem", "got no key in PEM, expected the public key$"),
    ):
        with pytest.raises(ConfigError, match=told):
            read(tmp_path / name)


def test_without_the_extra_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "cryptography"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ConfigError, match=r"pip install -e '\.\[sign\]'"):
        private_key(tmp_path / "key.pem")
