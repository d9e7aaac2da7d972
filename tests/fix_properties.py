"""Property tests are judged by what they find, not by how fast a shared machine is."""

from __future__ import annotations

from hypothesis import settings

# What hypothesis chose by itself (in CI: the same examples every time), without a time limit.
settings.register_profile("endmark", settings(), deadline=None)
settings.load_profile("endmark")
