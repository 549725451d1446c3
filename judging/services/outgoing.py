"""Requests to model endpoints that cannot be turned against our own network."""

import ipaddress
import os
import socket
from urllib.parse import urlsplit

import httpx
from django.conf import settings

from annotate.errors import AnnotateError

MAX_BYTES = 40 * 2**20
TIMEOUT_S = 120.0


class EndpointFailed(AnnotateError):
    """The endpoint could not be asked, or its answer cannot be used.

    Attributes
    ----------
    body : what it answered, as far as it was read
    """

    def __init__(self, message: str, body: str = "") -> None:
        super().__init__(message)
        self.body = body


def checked_address(host: str, port: int) -> str:
    """Return an address of `host` that may be reached.

    The caller connects to this very address: asking for it again could bring another
    one. Private, loopback and link-local addresses are refused unless the host is
    named in ENDPOINT_PRIVATE_HOSTS.

    Raises
    ------
    EndpointFailed
        The name has no address, or one of its addresses is not allowed.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise EndpointFailed(f"{host} has no address: {error}.") from None
    addresses = [str(entry[4][0]) for entry in found]
    for address in addresses:
        ip = ipaddress.ip_address(address.split("%")[0])
        if ip.is_link_local or ip.is_multicast or ip.is_unspecified:
            raise EndpointFailed(f"{host} is at {address}, which is never reached.")
        if not ip.is_global and host not in settings.ENDPOINT_PRIVATE_HOSTS:
            raise EndpointFailed(
                f"{host} is at the private address {address}. An operator can allow"
                " it by name in ENDPOINT_PRIVATE_HOSTS."
            )
    return addresses[0]


def post_json(url: str, body: dict, key_name: str) -> str:
    """Post to an endpoint and return the text of its answer.

    Redirects are not followed: a redirect could lead to where the check forbids.

    Raises
    ------
    EndpointFailed
        Not reachable, not allowed, too slow, too large, or not a 200.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    address = checked_address(host, port)
    headers = {"Host": parts.netloc, "Accept": "application/json"}
    if key_name:
        key = os.environ.get(key_name)
        if not key or not key_name.startswith("EARWITNESS_KEY_"):
            raise EndpointFailed(f"{key_name} is not set where the workers run.")
        headers["Authorization"] = f"Bearer {key}"
    literal = f"[{address}]" if ":" in address else address
    pinned = parts._replace(netloc=f"{literal}:{port}").geturl()
    read = b""
    try:
        with (
            httpx.Client(timeout=TIMEOUT_S, trust_env=False) as client,
            client.stream(
                "POST",
                pinned,
                json=body,
                headers=headers,
                extensions={"sni_hostname": host},
            ) as answer,
        ):
            for block in answer.iter_bytes():
                read += block
                if len(read) > MAX_BYTES:
                    raise EndpointFailed(f"The answer is over {MAX_BYTES >> 20} MiB.")
    except httpx.HTTPError as error:
        name = type(error).__name__
        raise EndpointFailed(f"The endpoint did not answer: {name}.") from None
    text = read.decode("utf-8", "replace")
    if answer.status_code != 200:
        raise EndpointFailed(f"The endpoint answered {answer.status_code}.", text)
    return text
