# SPDX-License-Identifier: Apache-2.0
"""What the program tests share: the binary, and a call of it."""
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def glint():
    """The path of the binary under test: GLINT_BINARY, else the release build."""
    path = Path(os.environ.get("GLINT_BINARY", ROOT / "build/release/glint"))
    assert path.is_file(), f"{path} is missing: ./run build makes it"
    return path


@pytest.fixture(scope="session")
def run_glint(glint):
    """run_glint(*words) -> CompletedProcess with returncode, and stdout and stderr as text."""

    def run(*words, timeout_s=60):
        return subprocess.run([glint, *words], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=timeout_s)

    return run
