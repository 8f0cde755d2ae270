# SPDX-License-Identifier: Apache-2.0
"""`glint serve` as its clients see it."""
import json
import time

import openai
import pytest
import served

ERRORS = [
    # body, status, param, part of the message
    (b"{nope", 400, None, "invalid JSON"),
    (b"\xff\xfe", 400, None, "invalid JSON"),
    (b"[]", 400, None, "the body is an array, must be an object"),
    ({}, 400, "messages", "messages is missing"),
    ({"messages": []}, 400, "messages", "messages is empty"),
    ({"messages": "hi"}, 400, "messages", "messages is a string, must be an array"),
    ({"messages": [{"role": "user", "content": "x"}], "model": "gpt"}, 404, "model",
     'no model named "gpt"'),
    ({"messages": [{"role": "user", "content": "x"}], "max_tokens": 0}, 400, "max_tokens",
     "max_tokens is 0"),
    ({"messages": [{"role": "user", "content": "x"}], "temperature": "hot"}, 400, "temperature",
     "must be a number"),
    ({"messages": [{"role": "user", "content": "x"}], "stream": 1}, 400, "stream",
     "must be a boolean"),
    ({"messages": [{"role": "user", "content": "x"}], "n": 3}, 400, "n", "not supported yet"),
    ({"messages": [{"role": "user", "content": "x"}], "response_format": {"type": "json_object"}},
     400, "response_format", "not supported yet"),
    ({"messages": [{"role": "user", "content": "x"}], "max_tokens": 3000}, 400, None,
     "context holds 2048"),
    ({"messages": [{"role": "user", "content": "word " * 3000}]}, 400, None,
     "context holds 2048"),
    ({"messages": [{"content": "x"}]}, 400, None, "role"),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return served.make_model(tmp_path_factory.mktemp("served") / "model")


@pytest.fixture(scope="module")
def server(glint, model, tmp_path_factory):
    log = tmp_path_factory.mktemp("serve") / "log"
    with served.serving(glint, model, log) as running:
        yield running


@pytest.fixture(scope="module")
def client(server):
    with openai.OpenAI(base_url=server.url + "/v1", api_key="none", max_retries=0) as made:
        yield made


def greedy(client, prompt="Hello there", tokens=24, **fields):
    return client.completions.create(model="tiny", prompt=prompt, max_tokens=tokens,
                                     temperature=0, extra_body={"ignore_eos": True}, **fields)


def test_openai_client_chat(client):
    reply = client.chat.completions.create(
        model="tiny", messages=[{"role": "user", "content": "Hi"}], max_tokens=9, temperature=0)
    choice = reply.choices[0]
    assert reply.object == "chat.completion"
    assert choice.message.role == "assistant"
    assert choice.message.reasoning_content  # the template leaves <think> open
    assert choice.finish_reason == "length"
    assert reply.usage.completion_tokens == 9
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + 9


def test_openai_client_chat_stream_is_the_whole_reply_in_parts(client):
    question = dict(model="tiny", messages=[{"role": "user", "content": "Hi"}], max_tokens=20,
                    temperature=0)
    whole = client.chat.completions.create(**question)
    chunks = list(client.chat.completions.create(
        **question, stream=True, stream_options={"include_usage": True}))
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    assert deltas[0].role == "assistant"
    assert "".join(delta.content or "" for delta in deltas) == whole.choices[0].message.content
    reasoning = "".join(getattr(delta, "reasoning_content", None) or "" for delta in deltas)
    assert reasoning == whole.choices[0].message.reasoning_content
    reasons = [c.choices[0].finish_reason for c in chunks if c.choices and c.choices[0].finish_reason]
    assert reasons == ["length"]
    assert chunks[-1].usage == whole.usage
    assert len({chunk.id for chunk in chunks}) == 1


def test_openai_client_completion_and_its_stream(client):
    whole = greedy(client)
    assert whole.usage.completion_tokens == 24
    parts = list(greedy(client, stream=True))
    assert "".join(part.choices[0].text for part in parts) == whole.choices[0].text
    assert parts[-1].choices[0].finish_reason == "length"


def test_thinking_off_makes_the_answer_content(client):
    reply = client.chat.completions.create(
        model="tiny", messages=[{"role": "user", "content": "Hi"}], max_tokens=9, temperature=0,
        extra_body={"chat_template_kwargs": {"enable_thinking": False}})
    assert reply.choices[0].message.content
    assert getattr(reply.choices[0].message, "reasoning_content", None) is None


def test_stop_strings_end_the_answer_and_are_not_part_of_it(client):
    whole = greedy(client).choices[0].text
    stop = whole[len(whole) // 2:][:3]
    reply = greedy(client, stop=[stop, "never in it \u2603"])
    assert reply.choices[0].text == whole[:whole.index(stop)]
    assert reply.choices[0].finish_reason == "stop"
    parts = list(greedy(client, stop=stop, stream=True))
    assert "".join(part.choices[0].text for part in parts) == whole[:whole.index(stop)]
    assert parts[-1].choices[0].finish_reason == "stop"


def test_a_seed_repeats_and_no_seed_does_not(client):
    def ask(**fields):
        return client.completions.create(model="tiny", prompt="Once", max_tokens=30, temperature=1,
                                         **fields).choices[0].text

    assert ask(seed=5) == ask(seed=5)
    assert ask(seed=5) != ask(seed=6)
    assert ask() != ask()


def test_prompt_as_token_ids(client):
    text = greedy(client, prompt="Hello").choices[0].text
    ids = client.completions.create(model="tiny", prompt=[3, 4, 5], max_tokens=4, temperature=0)
    assert ids.usage.prompt_tokens == 3
    assert text


def test_generate_counts_prompt_and_answer(server):
    status, reply = server.post("/generate", {"prompt": "Hello", "max_length": 20,
                                              "temperature": 0})
    assert status == 200 and list(reply) == ["generated_text"] and reply["generated_text"]
    status, reply = server.post("/generate", {"prompt": "Hello " * 40, "max_length": 5})
    assert status == 400 and "max_length is 5" in reply["error"]["message"]


def test_models_health_and_unknown_paths(server):
    assert json.loads(server.get("/v1/models")[1])["data"][0]["id"] == "tiny"
    assert server.get("/health/live")[0] == 200
    assert server.get("/health/ready")[0] == 200
    for path, status in (("/nowhere", 404), ("/v1/chat/completions", 405)):
        code, body = server.get(path)
        assert code == status
        assert json.loads(body)["error"]["type"]


@pytest.mark.parametrize("case", range(len(ERRORS)))
def test_bad_requests_get_the_openai_error_body(server, case):
    body, status, param, message = ERRORS[case]
    code, reply = server.post("/v1/chat/completions", body)
    assert code == status, reply
    assert reply["error"]["param"] == param
    assert message in reply["error"]["message"]
    assert set(reply["error"]) == {"message", "type", "param", "code"}


def test_token_ids_beyond_the_vocabulary(server):
    code, reply = server.post("/v1/completions", {"prompt": [1, 10**6]})
    assert code == 400 and "a token is 1000000" in reply["error"]["message"]


def test_metrics_count_what_happened(server, client):
    before = {name: server.metric(name) for name in
              ("vllm:request_success_total", "vllm:generation_tokens_total",
               "vllm:time_to_first_token_seconds_count")}
    greedy(client, tokens=7)
    assert server.metric("vllm:request_success_total") == before["vllm:request_success_total"] + 1
    tokens = server.metric("vllm:generation_tokens_total")
    assert tokens == before["vllm:generation_tokens_total"] + 7
    assert server.metric("vllm:kv_cache_usage_perc") == 0
    assert server.metric("vllm:num_requests_running") == 0


def test_a_client_that_leaves_frees_its_slot(server, client):
    before = server.metric("vllm:generation_tokens_total")
    stream = greedy(client, tokens=1900, stream=True)
    for _, _ in zip(range(3), stream):
        pass
    stream.close()
    deadline = time.monotonic() + 20
    while server.metric("vllm:num_requests_running") > 0:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert server.metric("vllm:kv_cache_usage_perc") == 0
    assert server.metric("vllm:generation_tokens_total") < before + 1800


def test_serve_refuses_what_it_cannot_do(run_glint, model, tmp_path):
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "config.json").write_text((model / "config.json").read_text())
    for words, message in (
            ([model, "--synthetic", "--port", "70000"], "port is 70000, must be 0 to 65535"),
            ([model, "--synthetic", "--host", "nowhere"], "must be an IP address"),
            ([model, "--synthetic", "--max-context", "4096"], "context is 4096, must be 2 to 2048"),
            ([model, "--synthetic", "--step-tokens", "8"], "sequences at once is 32"),
            ([bare, "--synthetic"], "has no tokenizer.json"),
            (["no-such-model"], "no-such-model"),
            (["glm-5.2"], "glm-5.2 is a built-in shape without a tokenizer")):
        done = run_glint("serve", *words)
        assert done.returncode == 1 and message in done.stderr, done.stderr


def test_d13_one_program_no_python(glint, model, tmp_path):
    """Field report D13: nothing but the program is needed, no interpreter and no environment."""
    server = served.Server(glint, model, tmp_path / "log", environment={})
    assert server.post("/v1/completions", {"prompt": "Hi", "max_tokens": 3})[0] == 200
    children = f"/proc/{server.process.pid}/task/{server.process.pid}/children"
    with open(children) as file:
        assert file.read() == ""
    with open(f"/proc/{server.process.pid}/maps") as file:
        assert "python" not in file.read()
    assert server.stop() == 0


def test_two_servers_cannot_have_one_port(run_glint, server, model):
    done = run_glint("serve", model, "--synthetic", "--port", str(server.port))
    assert done.returncode == 1
    assert f"cannot listen on 127.0.0.1:{server.port}" in done.stderr
