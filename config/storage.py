"""Static files under names that carry their hash."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedModules(CompressedManifestStaticFilesStorage):
    """Rewrite the imports between ES modules too, so that each may be cached for ever.

    Django leaves this off by default and finds only imports that end in a semicolon.
    """

    support_js_module_import_aggregation = True
