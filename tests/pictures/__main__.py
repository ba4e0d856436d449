"""`python -m tests.pictures`: draws the picture of the README anew. To be done only when another picture is meant."""

from __future__ import annotations

from PIL import Image

from . import PATH, drawn

if __name__ == "__main__":
    Image.fromarray(drawn()).save(PATH, optimize=True)
    print(f"{PATH.name}: {PATH.stat().st_size / 1000:.0f} kB")
