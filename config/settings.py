"""The one settings file. Everything that differs between sites is read by `env`."""

from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from config import env

BASE_DIR = Path(__file__).resolve().parent.parent
HOME = Path(env.text("EARWITNESS_HOME") or BASE_DIR / "var")

# --- Demo, debugging, production ------------------------------------------------
DEBUG = env.flag("DEBUG")
DEMO = env.flag("EARWITNESS_DEMO")
if DEMO:
    # The demo signs anybody in as an administrator: it must never meet real data.
    for name in (
        "DATABASE_URL",
        "SECRET_KEY",
        "ALLOWED_HOSTS",
        "MEDIA_BUCKET",
        "BEHIND_HTTPS",
    ):
        if env.text(name):
            raise ImproperlyConfigured(
                f"EARWITNESS_DEMO=1 and {name} exclude each other: the demo lets"
                " anybody in. Unset one of the two."
            )
    ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
    SECRET_KEY = env.text("EARWITNESS_DEMO_KEY", "demo")
else:
    ALLOWED_HOSTS = env.words("ALLOWED_HOSTS")
    SECRET_KEY = env.text("SECRET_KEY")
    if not SECRET_KEY:
        raise ImproperlyConfigured(
            "SECRET_KEY is not set. Set it to 50 random characters or more, or run"
            " `make demo` for a site to try."
        )
if env.flag("BEHIND_HTTPS"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SECURE_HSTS_SECONDS = 31_536_000
CSRF_TRUSTED_ORIGINS = env.words("TRUSTED_ORIGINS")

# --- The house -------------------------------------------------------------------
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "annotate",
    "judging",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.content_security_policy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.middleware.site",
            ],
        },
    }
]
DATABASES = {"default": env.database(env.text("DATABASE_URL"), HOME)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LOGIN_URL = "sign_in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"
SESSION_COOKIE_AGE = 14 * 24 * 3600
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 2**20
FILE_UPLOAD_HANDLERS = [
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

# --- Files ------------------------------------------------------------------------
STATIC_URL = "static/"
STATIC_ROOT = HOME / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
MEDIA_ROOT = HOME / "media"
_bucket = env.text("MEDIA_BUCKET")
STORAGES = {
    "default": {"BACKEND": "storages.backends.s3.S3Storage"}
    if _bucket
    else {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.storage.HashedModules"},
}
AWS_STORAGE_BUCKET_NAME = _bucket

# --- Words and times --------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", _("简体中文"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_TZ = True
TIME_ZONE = "UTC"

# --- Work queue -------------------------------------------------------------------
CELERY_BROKER_URL = env.text("REDIS_URL", "redis://127.0.0.1:6379/0")
CELERY_TASK_IGNORE_RESULT = True  # what a job did stands in its row
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_TIME_LIMIT = 6 * 3600
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_TASKS_PER_CHILD = 1  # heavy libraries leave with the child
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 3
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 7 * 3600}
CELERY_BEAT_SCHEDULE_FILENAME = str(HOME / "beat")
CELERY_BEAT_SCHEDULE = {
    "dispatch-waiting-jobs": {"task": "judging.dispatch_waiting_jobs", "schedule": 15},
}
AUTH_USER_MODEL = "annotate.User"
# Hosts of model endpoints that may lie in a private network.
ENDPOINT_PRIVATE_HOSTS = env.words("ENDPOINT_PRIVATE_HOSTS")
CSRF_FAILURE_VIEW = "annotate.views.speaking.stale_token"

# Errors go to the process's own log, with their traceback; pages show none.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
}
