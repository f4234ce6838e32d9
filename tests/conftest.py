"""Settings of the whole suite."""

from hypothesis import settings

settings.register_profile("default", deadline=None)  # a slow machine is no failure
settings.load_profile("default")
