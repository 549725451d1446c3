"""Fetch spoken replies from a system's endpoint, one call per instance."""

import base64
import binascii
import io
import json
import tempfile
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotate.models import Instance, Job, Stimulus
from annotate.services.jobs import Progress
from annotate.services.recordings import take_in_recordings
from judging.models import Call, Endpoint, Response, System
from judging.services.outgoing import EndpointFailed, post_json

MAX_RAW = 200_000
TASK = (
    "You hear somebody speak. Answer them aloud, in one or two sentences, as fits the"
    " situation and how they sound. The situation: "
)


def fetch_responses(job: Job, tell: Progress) -> dict[str, Any]:
    """Ask the systems of the job for every reply that is missing; return the counts.

    `sent_at` is written before a call is made. A call found sent but unanswered, after
    a crash, is *unknown*: it may have been charged, so it is counted and not repeated.
    """
    assert job.study is not None  # replies are always fetched for a study
    systems = list(
        System.objects.filter(
            pk__in=job.arguments["systems"], endpoint__isnull=False
        ).select_related("endpoint")
    )
    instances = list(
        Instance.objects.filter(version=job.study.corpus_version)
        .select_related("utterance__recording", "context")
        .order_by("code")
    )
    counts = {"done": 0, "failed": 0, "unknown": 0, "known": 0}
    total = len(systems) * len(instances) or 1
    for n, (system, instance) in enumerate(
        ((s, i) for s in systems for i in instances), 1
    ):
        counts[_fetch_one(job, system, instance)] += 1
        tell(n / total, f"{n} of {total}: {counts['failed']} failed")
    return counts


def _fetch_one(job: Job, system: System, instance: Instance) -> str:
    known = Response.objects.filter(
        instance=instance, system=system, prompt="", sample=0
    )
    if known.exists():
        return "known"
    call, _ = Call.objects.get_or_create(
        key=f"reply/{system.pk}/{instance.pk}//0",
        defaults={"run": job, "system": system, "instance": instance},
    )
    if call.state == Call.State.SENT:
        Call.objects.filter(pk=call.pk, state=Call.State.SENT).update(
            state=Call.State.UNKNOWN, error="Sent before a crash; the answer is lost."
        )
        return "unknown"
    if call.state == Call.State.UNKNOWN:
        return "unknown"
    body = request_body(system, instance)
    taken = Call.objects.filter(pk=call.pk, state=call.state).update(
        state=Call.State.SENT,
        sent_at=timezone.now(),
        attempts=call.attempts + 1,
        error="",
        run=job,
    )
    if not taken:
        return "known"
    endpoint = reached_at(system)
    raw = ""
    try:
        raw = post_json(
            f"{endpoint.base_url}/chat/completions",
            body,
            endpoint.key_name,
        )
        audio, transcript = read_reply(raw)
        _store(system, instance, audio, transcript)
    except EndpointFailed as error:
        _end(call, Call.State.FAILED, error.body or raw, str(error))
        return "failed"
    _end(call, Call.State.DONE, raw, "")
    return "done"


def _end(call: Call, state: str, raw: str, error: str) -> None:
    Call.objects.filter(pk=call.pk).update(
        state=state,
        raw=raw.replace("\0", "")[:MAX_RAW],
        error=error,
        finished_at=timezone.now(),
    )


def reached_at(system: System) -> Endpoint:
    """Return where a system is reached; only systems that have it are asked."""
    assert system.endpoint is not None
    return system.endpoint


def request_body(system: System, instance: Instance) -> dict[str, Any]:
    """Return an OpenAI-compatible chat request that sends and asks for audio."""
    return {
        "model": reached_at(system).model,
        "modalities": ["text", "audio"],
        "audio": {"voice": "alloy", "format": "wav"},
        "messages": [
            {"role": "system", "content": TASK + instance.context.text},
            {
                "role": "user",
                "content": [
                    {
                        "type": "input_audio",
                        "input_audio": {
                            "data": _utterance_wav(instance),
                            "format": "wav",
                        },
                    }
                ],
            },
        ],
    }


def _utterance_wav(instance: Instance) -> str:
    import soundfile

    rendition = instance.utterance.sound.renditions.get(recipe="as_is")
    with rendition.file.open("rb") as stored:
        samples, rate = soundfile.read(io.BytesIO(stored.read()), dtype="int16")
    wav = io.BytesIO()
    soundfile.write(wav, samples, rate, format="WAV", subtype="PCM_16")
    return base64.b64encode(wav.getvalue()).decode()


def read_reply(raw: str) -> tuple[bytes, str]:
    """Return the sound and the transcript of a chat completion.

    Raises
    ------
    EndpointFailed
        It is not JSON, not a chat completion, or holds no usable audio.
    """
    try:
        message = json.loads(raw)["choices"][0]["message"]
        audio = message["audio"]
        sound = base64.b64decode(audio["data"], validate=True)
    except (ValueError, KeyError, IndexError, TypeError, binascii.Error) as error:
        why = f"{type(error).__name__}: {error}"
        raise EndpointFailed(f"No audio in the answer ({why})."[:300], raw) from None
    if not sound:
        raise EndpointFailed("The audio in the answer is empty.", raw)
    transcript = audio.get("transcript") or message.get("content") or ""
    return sound, str(transcript).replace("\0", "")


def _store(system: System, instance: Instance, sound: bytes, transcript: str) -> None:
    """Keep a reply as any upload is kept: decoded in the guarded child first."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reply"
        path.write_bytes(sound)
        intake = take_in_recordings([path], [path], lambda share, message: None)
    if path in intake.faults:
        raise EndpointFailed(f"The audio cannot be used: {intake.faults[path]}")
    with transaction.atomic():
        stimulus = Stimulus.objects.create(
            kind=Stimulus.Kind.RESPONSE,
            recording=intake.recordings[path],
            text=transcript,
        )
        Response.objects.create(
            instance=instance,
            system=system,
            code=f"{instance.code}/{system.code}"[:160],
            stimulus=stimulus,
        )
