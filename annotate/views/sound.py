"""Recordings, to whoever may hear them, in the ranges a player asks for."""

from collections.abc import Iterator
from uuid import UUID

from django.core.files import File
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.crypto import salted_hmac
from django.views.decorators.http import require_safe

from annotate.models import Assignment, Rendition
from annotate.services.page import load_page, renditions_of
from annotate.services.ranges import Unsatisfiable, parse_range
from annotate.views.signed_in import SignedInRequest

BLOCK = 64 * 1024


@require_safe
def sound(request: SignedInRequest, public_id: UUID, name: str) -> HttpResponseBase:
    """Serve one recording of an assignment, known by its role and shown letter.

    The address and the entity tag are this assignment's own, so that the same
    recording heard twice, or by two people, cannot be told to be the same.
    """
    try:
        page = load_page(request.user, public_id)
    except Assignment.DoesNotExist:
        raise Http404 from None
    rendition = renditions_of(page).get(name)
    if rendition is None:
        raise Http404
    tag = salted_hmac("annotate.sound", f"{public_id}/{name}").hexdigest()[:24]
    return serve(request, rendition, f'"{tag}"')


def serve(request: HttpRequest, rendition: Rendition, etag: str) -> HttpResponseBase:
    """Return the rendition, whole or in part: 200, 206, 304 or 416."""
    n_bytes = rendition.n_bytes
    asked = request.headers.get("Range", "")
    if request.method != "GET" or request.headers.get("If-Range", etag) != etag:
        asked = ""
    try:
        span = parse_range(asked, n_bytes)
    except Unsatisfiable:
        refused = HttpResponse(status=416)
        refused["Content-Range"] = f"bytes */{n_bytes}"
        return _described(refused, etag)
    if request.headers.get("If-None-Match") == etag and span is None:
        return _described(HttpResponse(status=304), etag)
    first, last = span or (0, n_bytes - 1)
    answer: HttpResponse | StreamingHttpResponse
    if request.method == "HEAD":
        answer = HttpResponse()
    else:
        content = rendition.file.open("rb")
        answer = StreamingHttpResponse(_blocks(content, first, last - first + 1))
        # The response closes what it is given, when the browser goes away too.
        answer._resource_closers.append(content.close)  # type: ignore[attr-defined]
    answer["Content-Length"] = str(last - first + 1)
    if span is not None:
        answer.status_code = 206
        answer["Content-Range"] = f"bytes {first}-{last}/{n_bytes}"
    return _described(answer, etag)


def _described(answer: HttpResponseBase, etag: str) -> HttpResponseBase:
    answer["Content-Type"] = "audio/flac"
    answer["Accept-Ranges"] = "bytes"
    answer["ETag"] = etag
    # Kept for a while by this person's browser alone, for recordings fetched ahead;
    # signing out clears it. Never compressed: ranges count bytes of the file.
    answer["Cache-Control"] = "private, max-age=900, no-transform"
    answer["Content-Disposition"] = "inline"
    answer["X-Content-Type-Options"] = "nosniff"
    return answer


def _blocks(content: File, first: int, length: int) -> Iterator[bytes]:
    content.seek(first)
    while length > 0:
        block = content.read(min(BLOCK, length))
        if not block:
            return
        length -= len(block)
        yield block
