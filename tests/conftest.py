"""Settings of the whole suite."""

from hypothesis import settings

# A slow machine is no failure. ``pytest --hypothesis-profile=thorough`` looks longer.
settings.register_profile("default", deadline=None, max_examples=60)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("default")
