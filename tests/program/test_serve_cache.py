# SPDX-License-Identifier: Apache-2.0
"""The prefix cache, preemption and priorities of `glint serve`, as clients see them."""
import concurrent.futures
import random
import time

import pytest
import served


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return served.make_model(tmp_path_factory.mktemp("served") / "model")


@pytest.fixture(scope="module")
def uncached(glint, model, tmp_path_factory):
    """A server that computes every prompt from its start: what answers ought to be."""
    log = tmp_path_factory.mktemp("uncached") / "log"
    with served.serving(glint, model, log, "--no-prefix-cache") as running:
        yield running


def ids(seed, count):
    rng = random.Random(seed)
    return [rng.randrange(2500) for _ in range(count)]


def ask(server, prompt, tokens=16, **fields):
    """(text, cached prompt tokens) of a greedy completion."""
    status, reply = server.post("/v1/completions", {
        "prompt": prompt, "max_tokens": tokens, "temperature": 0, "ignore_eos": True} | fields)
    assert status == 200, reply
    return (reply["choices"][0]["text"],
            reply["usage"]["prompt_tokens_details"]["cached_tokens"])


@pytest.mark.parametrize("page_size", [1, 16, 64])
def test_e7_f1_a_second_turn_finds_the_first_and_answers_the_same(glint, model, uncached, tmp_path,
                                                                page_size):
    """Field reports E7 (hit rate 0) and F1 (the cold answer differs from later ones)."""
    first = ids(page_size, 1900)
    second = first + ids(99, 60)
    with served.serving(glint, model, tmp_path / "log", "--page-size", str(page_size)) as server:
        cold, cached = ask(server, first)
        assert cached == 0
        warm, cached = ask(server, first)
        assert cached == (len(first) - 1) // page_size * page_size
        assert cold == warm == ask(uncached, first)[0]
        answer, cached = ask(server, second)
        assert cached % page_size == 0 and cached >= (0.98 if page_size <= 16 else 0.96) * len(first)
        assert answer == ask(uncached, second)[0]
        assert server.metric("vllm:prefix_cache_queries_total") == 1900 + 1900 + 1960
        hits = server.metric("vllm:prefix_cache_hits_total")
        assert hits == server.metric("vllm:prompt_tokens_cached_total") > 1900 * 1.9
        assert server.metric("vllm:prompt_tokens_total") == 1900 + 1900 + 1960
        assert server.metric("vllm:kv_cache_usage_perc") == 0
    assert uncached.metric("vllm:prefix_cache_queries_total") == 0
    assert uncached.metric("vllm:prefix_cache_hits_total") == 0


def test_shared_beginnings_give_the_expected_hit_rate(glint, model, tmp_path):
    """60 % of every prompt is the same: the hit rate is that within 2 points, the first aside."""
    shared = ids(1, 720)
    with served.serving(glint, model, tmp_path / "log") as server:
        ask(server, shared, 1)
        hits = [ask(server, shared + ids(number, 480), 1)[1] for number in range(2, 12)]
    rate = sum(hits) / (1200 * len(hits))
    assert abs(rate - 0.6) <= 0.02


def test_tenants_do_not_share(glint, model, tmp_path):
    prompt = ids(3, 300)
    with served.serving(glint, model, tmp_path / "log") as server:
        assert ask(server, prompt, 1, cache_salt="a")[1] == 0
        assert ask(server, prompt, 1, cache_salt="b")[1] == 0
        assert ask(server, prompt, 1, cache_salt="a")[1] == 288


def test_preempted_requests_get_their_solo_answers(glint, model, uncached, tmp_path):
    """16 answers of 200 tokens on pages for five."""
    prompts = [ids(number, 30) for number in range(16)]
    solo = [ask(uncached, prompt, 200)[0] for prompt in prompts]
    with served.serving(glint, model, tmp_path / "log", "--cache-tokens", "1200", "--max-sequences",
                        "16") as server:
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(lambda prompt: ask(server, prompt, 200)[0], prompts))
        assert answers == solo
        assert server.metric("vllm:num_preemptions_total") > 0
        assert server.metric("vllm:kv_cache_usage_perc") == 0


def test_a_lower_priority_number_is_sooner(glint, model, tmp_path):
    with served.serving(glint, model, tmp_path / "log", "--max-sequences", "1") as server:
        order = []

        def late(priority):
            ask(server, [1, 2, 3], 100, priority=priority)
            order.append(priority)

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            first = pool.submit(ask, server, [1, 2], 1500)
            while server.metric("vllm:num_requests_running") == 0:
                time.sleep(0.005)
            rest = []
            for waiting, priority in enumerate((5, 0, -3), start=1):
                rest.append(pool.submit(late, priority))
                while server.metric("vllm:num_requests_waiting") < waiting and not first.done():
                    time.sleep(0.002)
            assert not first.done(), "the first answer was too short to queue behind"
            for one in [first, *rest]:
                one.result()
    assert order == [-3, 0, 5]
