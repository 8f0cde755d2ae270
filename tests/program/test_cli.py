# SPDX-License-Identifier: Apache-2.0
"""The table of sub-commands: what a user meets first."""
import re


def test_version_is_one_line_on_stdout(run_glint):
    result = run_glint("--version")
    assert (result.returncode, result.stderr) == (0, "")
    assert re.fullmatch(r"glint \d+\.\d+\.\d+\n", result.stdout)


def test_help_lists_the_commands(run_glint):
    result = run_glint("--help")
    assert (result.returncode, result.stderr) == (0, "")
    assert "Usage: glint COMMAND" in result.stdout
    assert re.search(r"^  info +\S", result.stdout, re.MULTILINE)


def test_no_command_is_wrong_use(run_glint):
    result = run_glint()
    assert (result.returncode, result.stdout) == (2, "")
    assert "Usage: glint COMMAND" in result.stderr


def test_unknown_command_is_wrong_use_and_named(run_glint):
    result = run_glint("sevre")
    assert (result.returncode, result.stdout) == (2, "")
    assert "no command named 'sevre'" in result.stderr
