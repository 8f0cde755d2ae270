# SPDX-License-Identifier: Apache-2.0
"""`glint chat`: one prompt, a conversation, and what it says when it cannot."""
import subprocess

import pytest
import served


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return served.make_model(tmp_path_factory.mktemp("served") / "model")


@pytest.fixture
def chat(glint, model):
    def run(*flags, text=""):
        words = [*flags] if "--temperature" in flags else ["--temperature", "0", *flags]
        return subprocess.run([glint, "chat", model, "--synthetic", *words], input=text,
                              capture_output=True, text=True, timeout=60)

    return run


def test_one_prompt_gets_one_answer_on_stdout(chat):
    done = chat("-p", "Hello", "--max-tokens", "12", "--no-thinking")
    assert done.returncode == 0 and done.stdout.strip()
    assert chat("-p", "Hello", "--max-tokens", "12", "--no-thinking").stdout == done.stdout
    # The same from stdin; "cut by its length" and the figures are for stderr.
    piped = chat("-p", "-", "--max-tokens", "12", "--no-thinking", "--stats", text="Hello")
    assert piped.stdout == done.stdout
    assert "12 tokens" in piped.stderr and "cut by its length limit" in piped.stderr


def test_a_pipe_gets_the_answer_without_the_reasoning(chat):
    done = chat("-p", "Hello", "--max-tokens", "12")
    assert done.returncode == 0
    assert done.stdout == "\n" and done.stderr.strip()  # random weights do not stop thinking


def test_turns_follow_each_other_until_quit(chat):
    def say(text):
        done = chat("--max-tokens", "8", "--no-thinking", text=text)
        assert done.returncode == 0 and "error" not in done.stderr
        return done.stdout

    once = say("Hi\n")
    assert say("Hi\n\n/new\nHi\n/quit\nno more\n") == once + once
    twice = say("Hi\nHi\n")
    assert twice.startswith(once) and twice != once + once  # the second turn knows the first


def test_a_turn_that_does_not_fit_is_an_error_and_the_next_one_goes_on(chat):
    done = chat("--max-tokens", "8", "--no-thinking", text="word " * 3000 + "\nHi\n")
    assert done.returncode == 0
    assert "context holds 2048" in done.stderr and done.stdout.strip()


@pytest.mark.parametrize("flags, message", [
    (["--max-tokens", "-1"], "--max-tokens is -1, must not be negative"),
    (["--temperature", "-2"], "--temperature is -2, must be 0 to 100"),
    (["--max-context", "1"], "context is 1, must be 2 to 2048"),
    (["-p", "x", "--max-tokens", "4000"], "context holds 2048"),
])
def test_wrong_flags_are_named(chat, flags, message):
    done = chat(*flags)
    assert done.returncode == 1 and message in done.stderr
