# One image for the web server, the worker and beat; docker-compose.yml says how.
FROM python:3.11-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 EARWITNESS_HOME=/data
WORKDIR /app
COPY requirements/runtime.txt requirements/
RUN pip install --no-cache-dir --require-hashes -r requirements/runtime.txt \
    && useradd --create-home earwitness \
    && install --directory --owner earwitness /data
COPY . .
USER earwitness
VOLUME /data
EXPOSE 8000
CMD ["python", "-m", "granian", "--interface", "wsgi", "--host", "0.0.0.0", \
     "--port", "8000", "--workers", "2", "--blocking-threads", "8", "--no-ws", \
     "config.wsgi:application"]
