"""Ports of this machine's loopback."""

import errno
import http.client
import socket

HOST = "127.0.0.1"


def why_not(port: int) -> str | None:
    """Return why nothing can listen on the port, or None where it is free."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return f"Port {port} is in use"
            return f"Port {port} cannot be used ({error.strerror})"
    return None


def free_port() -> int:
    """Return a port on which nothing listens at this moment."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def status_of(port: int, path: str) -> int | None:
    """Return the HTTP status with which the port answers, or None without answer."""
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
