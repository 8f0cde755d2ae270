# SPDX-License-Identifier: Apache-2.0
"""Latency targets of `glint serve`. That steps keep a target is tested on a fake clock
(src/sched/step_budget_test.cc); here is what a client sees of it."""
import concurrent.futures
import http.client
import json
import time

import pytest
import served


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return served.make_model(tmp_path_factory.mktemp("served") / "model")


def ask(server, tokens=40):
    """(status, Retry-After, error or None, seconds) of one request with a long prompt."""
    start = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    connection.request("POST", "/v1/completions",
                       json.dumps({"prompt": [7] * 600, "max_tokens": tokens, "temperature": 0,
                                   "ignore_eos": True}))
    reply = connection.getresponse()
    body = json.loads(reply.read())
    connection.close()
    return (reply.status, reply.getheader("Retry-After"), body.get("error"),
            time.monotonic() - start)


def test_h5_what_would_miss_its_first_token_is_429_at_once_and_the_rest_is_served(glint, model,
                                                                                tmp_path):
    """Field report H5."""
    with served.serving(glint, model, tmp_path / "log", "--slo-ttft-ms", "400", "--max-sequences",
                        "4", "--no-prefix-cache") as server:
        for _ in range(2):
            assert ask(server)[0] == 200  # from now on it knows what a step costs
        with concurrent.futures.ThreadPoolExecutor(80) as pool:
            replies = list(pool.map(lambda _: ask(server), range(160)))
        assert server.metric("vllm:num_requests_waiting") == 0
    refused = [reply for reply in replies if reply[0] == 429]
    assert {reply[0] for reply in replies} == {200, 429}
    for _, retry_after, error, _ in refused:
        assert retry_after == "1"
        assert "the target is 400 ms" in error["message"]
    served_s = sorted(reply[3] for reply in replies if reply[0] == 200)
    refused_s = sorted(reply[3] for reply in refused)
    assert refused_s[len(refused_s) // 2] < served_s[len(served_s) // 2]


def test_a_target_for_tokens_limits_the_batch_and_loses_no_request(glint, model, tmp_path):
    """A target that nothing can keep: one at a time, and all are served."""
    with served.serving(glint, model, tmp_path / "log", "--slo-tpot-ms", "0.001") as server:
        for _ in range(2):
            assert ask(server)[0] == 200
        most = 0
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            asked = [pool.submit(ask, server) for _ in range(8)]
            while not all(one.done() for one in asked):
                most = max(most, server.metric("vllm:num_requests_running"))
        assert [one.result()[0] for one in asked] == [200] * 8
        assert most == 1


def test_targets_out_of_range_are_named(run_glint, model):
    for flag in ("--slo-ttft-ms", "--slo-tpot-ms"):
        done = run_glint("serve", model, "--synthetic", flag, "-1")
        assert done.returncode == 1 and f"{flag} is -1" in done.stderr, done.stderr
