"""A certificate authority for tests, and server certificates for any name that a client asks for."""

from __future__ import annotations

import datetime
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

BEGIN = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
END = datetime.datetime(2120, 1, 1, tzinfo=datetime.UTC)


class LoopbackAuthority:
    """Signs certificates; `client_context` trusts it and nothing else."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "loopback authority")])
        self._contexts: dict[str, ssl.SSLContext] = {}
        self._certificate = self._signed(
            self._name, self._key.public_key(), x509.BasicConstraints(ca=True, path_length=0), ()
        )

    def client_context(self) -> ssl.SSLContext:
        pem = self._certificate.public_bytes(serialization.Encoding.PEM).decode()
        return ssl.create_default_context(cadata=pem)

    def server_context(self, wrong_names: frozenset[str] = frozenset()) -> ssl.SSLContext:
        """A server's context that shows each client a certificate for the name it wants, but for `wrong_names`."""

        def choose(connection: ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> None:
            wanted = name or "nameless.example.com"
            connection.context = self._context_for("other.example.net" if wanted in wrong_names else wanted)

        chooser = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        chooser.sni_callback = choose  # type: ignore[assignment] # typed for sockets, called for objects too
        self._load_into(chooser, "nameless.example.com")
        return chooser

    def _context_for(self, name: str) -> ssl.SSLContext:
        if name not in self._contexts:
            self._contexts[name] = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._load_into(self._contexts[name], name)
        return self._contexts[name]

    def _load_into(self, context: ssl.SSLContext, name: str) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:60])])
        certificate = self._signed(
            subject, key.public_key(), x509.BasicConstraints(ca=False, path_length=None), (x509.DNSName(name),)
        )
        file = self._folder / f"{name}.pem"
        pem = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        file.write_bytes(pem + certificate.public_bytes(serialization.Encoding.PEM))
        context.load_cert_chain(file)

    def _signed(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePublicKey,
        constraints: x509.BasicConstraints,
        names: tuple[x509.DNSName, ...],
    ) -> x509.Certificate:
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(BEGIN)
            .not_valid_after(END)
            .add_extension(constraints, critical=True)
        )
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(self._key, hashes.SHA256())
