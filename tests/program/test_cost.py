# SPDX-License-Identifier: Apache-2.0
"""glint cost: figures exact to the printed digits, and refusals instead of wrong numbers."""
import csv
import io
import json
from html.parser import HTMLParser

import pytest

GIVEN = ["--tok-s", "2626", "--purchase-usd", "15000", "--years", "3", "--power-w", "600",
         "--usd-per-kwh", "0.10"]
WAFER = ["--result", "wafer-mi355x", "--price", "tensorwave-2026-07"]
AGAINST = ["--b-result", "wafer-b200", "--b-price", "hyperstack-2026-07"]


def answer(run_glint, *words):
    result = run_glint("cost", *words, "--json")
    assert (result.returncode, result.stderr) == (0, "")
    return json.loads(result.stdout)


def test_the_documented_call(run_glint):
    figures = answer(run_glint, *GIVEN)
    assert f"{figures['usd_per_million_tokens']:.4f}" == "0.0667"
    assert f"{figures['usd_per_billion_tokens']:.2f}" == "66.72"
    assert f"{figures['tco_usd']:.2f}" == "16576.80"
    assert [bill["years"] for bill in figures["tco"]] == [3, 5]
    text = run_glint("cost", *GIVEN).stdout
    assert "$0.0667" in text and "$16,576.80" in text


@pytest.mark.parametrize("purchase, power, speed, expected", [
    ("30000", "800", "1756", "193.23"),
    ("15000", "600", "1369", "127.99"),
])
def test_three_year_cost_of_a_billion_tokens(run_glint, purchase, power, speed, expected):
    figures = answer(run_glint, "--tok-s", speed, "--purchase-usd", purchase, "--power-w", power,
                     "--usd-per-kwh", "0.1", "--years", "3")
    assert f"{figures['usd_per_billion_tokens']:.2f}" == expected


def test_half_the_cost_depends_on_the_price_pair(run_glint):
    figures = answer(run_glint, "--preset", "half-the-cost")
    rows = [(f"{row['usd_per_million_output_tokens_a']:.2f}",
             f"{row['usd_per_million_output_tokens_b']:.2f}",
             f"{row['cost_ratio_b_over_a']:.2f}") for row in figures["rows"]]
    assert rows == [("1.25", "1.36", "1.08"), ("1.27", "1.20", "0.95"), ("2.45", "2.58", "1.05"),
                    ("2.50", "4.18", "1.67"), ("2.50", "6.52", "2.61"), ("7.28", "4.18", "0.57")]
    assert f"{figures['break_even_price_ratio']:.3f}" == "1.216"
    assert any("GSM8K" in line for line in figures["accuracy_wafer-mi355x"])
    assert figures["accuracy_wafer-b200"] == []


def test_a_against_b(run_glint):
    figures = answer(run_glint, *WAFER, *AGAINST, "--nodes", "10")
    assert f"{figures['cost_ratio_b_over_a']:.2f}" == "1.67"
    assert f"{figures['break_even_price_ratio']:.3f}" == "1.216"
    assert len(figures["sensitivity"]) == 25
    bill = figures["a"]["tco"][0]
    assert bill["fleet_usd"] == pytest.approx(10 * bill["total_usd"])
    assert bill["rent_usd"] == pytest.approx(8 * 2.95 * 8760 * 3)


def test_presets_and_currency(run_glint):
    fleet = answer(run_glint, "--preset", "fleet-100", "--cards-per-node", "8",
                   "--price-per-kwh", "0.6")
    assert [card["circulating_per_watt"] for card in fleet["cards"]] == [270, 270]
    assert [card["implied_hours_x_price_x_cards"] for card in fleet["cards"]] == \
        pytest.approx([270000, 270000])
    assert fleet["cards"][0]["purchase"] == 9_600_000
    hardware = answer(run_glint, "--preset", "hardware-tco", *GIVEN, "--cooling-usd-per-year", "50")
    assert hardware["machines"][0]["tco_usd"] == pytest.approx(16726.80)
    local = answer(run_glint, *GIVEN, "--currency", "CNY", "--currency-per-usd", "7")
    assert local["currency"]["tco"] == pytest.approx(7 * local["tco_usd"])


def test_every_form_has_the_same_figures(run_glint, tmp_path):
    page = tmp_path / "cost.html"
    result = run_glint("cost", *WAFER, *AGAINST, "--csv", "--html", str(page))
    assert result.returncode == 0
    rows = list(csv.reader(io.StringIO(result.stdout)))
    assert ["A against B: what a token costs", "per million output tokens", "$2.50", "$4.18"] in rows
    html = page.read_text()
    HTMLParser().feed(html)
    assert html.startswith("<!doctype html>") and html.count("<svg") >= 3
    for part in ("$2.50", "$4.18", "1.216", "GSM8K"):
        assert part in html
    for part in ("<script", "src=", "href=", "nan", "@import"):
        assert part not in html


def test_a_bench_result_is_priced_at_its_latency(run_glint, tmp_path):
    sweep = tmp_path / "sweep.jsonl"
    points = [{"output_throughput": 100 * n, "p95_ttft_ms": 50 * n * n, "machine": "h200",
               "gpus": 8, "completed": 10, "accuracy": "GSM8K 0.9"} for n in (1, 2, 3)]
    sweep.write_text("\n".join(map(json.dumps, points)))
    figures = answer(run_glint, "--result", str(sweep), "--latency", "p95_ttft_ms=300", "--price",
                     "rent-3y-2026-09")
    assert figures["usd_per_million_tokens"] == pytest.approx(8 * 2.90 / (200 * 0.0036))
    assert figures["speed"]["accuracy"] == ["GSM8K 0.9"]


def test_a_users_book_overrides(run_glint, tmp_path):
    book = tmp_path / "mine.yaml"
    book.write_text("price_books:\n  - {name: tensorwave-2026-07, title: Mine, basis: rented, "
                    "date: 2026-11, source: a quote, usd_per_gpu_hour: {mi355x: 1}}\n")
    figures = answer(run_glint, *WAFER, "--catalog", str(book))
    assert figures["usd_per_hour"] == pytest.approx(8)


def test_list_names_every_source(run_glint):
    catalog = answer(run_glint, "--list")
    assert len(catalog["machines"]) == 10
    assert all(book["origin"]["source"] and book["origin"]["date"]
               for book in catalog["price_books"])


@pytest.mark.parametrize("words, code, part", [
    ([], 2, "--preset"),
    (["--tok-s", "fast"], 2, "--tok-s"),
    (["--list", "--json", "--csv"], 2, "one of"),
    (["--tok-s", "2626"], 1, "--purchase-usd"),
    (["--purchase-usd", "1"], 1, "--tok-s"),
    (["--tok-s", "0", "--purchase-usd", "1"], 1, "tok-s is 0"),
    (["--tok-s", "nan", "--purchase-usd", "1"], 1, "tok-s is nan"),
    (["--tok-s", "inf", "--purchase-usd", "1"], 1, "tok-s is inf"),
    (["--tok-s", "1e300", "--purchase-usd", "1"], 1, "tok-s"),
    (["--tok-s", "1", "--purchase-usd", "-15000"], 1, "purchase-usd is -15000"),
    (["--tok-s", "1", "--purchase-usd", "1e300"], 1, "purchase-usd"),
    (["--tok-s", "1", "--usd-per-gpu-hour", "-1"], 1, "usd-per-gpu-hour is -1"),
    (["--tok-s", "1", "--purchase-usd", "1", "--years", "0"], 1, "years is 0"),
    (["--tok-s", "1", "--purchase-usd", "1", "--power-w", "-5"], 1, "power-w is -5"),
    (["--tok-s", "1", "--purchase-usd", "1", "--pue", "0.5"], 1, "pue is 0.5"),
    (["--tok-s", "1", "--purchase-usd", "1", "--utilization", "2"], 1, "utilization"),
    (["--tok-s", "1", "--purchase-usd", "1", "--machine", "mi999"], 1, "mi355x"),
    (["--result", "nobody", "--purchase-usd", "1"], 1, "wafer-mi355x"),
    (["--result", "/nowhere/r.json", "--purchase-usd", "1"], 1, "/nowhere/r.json"),
    (["--result", "wafer-b200", "--price", "neocloud-2026-07:b300"], 1, "refused"),
    (["--result", "wafer-b200", "--machine", "b300", "--price", "neocloud-2026-07"], 1, "b200"),
    (["--result", "wafer-b200", "--price", "vultr-2026-07"], 1, "no price of b200"),
    ([*WAFER, "--b-tok-s", "1", "--b-usd-per-gpu-hour", "1"], 1, "latency target"),
    (["--preset", "nothing"], 1, "nothing"),
    (["--preset", "hardware-tco"], 1, "--purchase-usd"),
    (["--preset", "fleet-100", "--cards-per-node", "-8"], 1, "cards-per-node"),
    ([*GIVEN, "--currency", "CNY", "--currency-per-usd", "0"], 1, "currency-per-usd"),
    ([*GIVEN, "--catalog", "/nowhere.yaml"], 1, "/nowhere.yaml"),
    ([*GIVEN, "--html", "/nowhere/cost.html"], 1, "/nowhere/cost.html"),
])
def test_bad_input_is_named_and_no_figure_is_printed(run_glint, words, code, part):
    result = run_glint("cost", *words)
    assert (result.returncode, result.stdout) == (code, "")
    assert part in result.stderr


@pytest.mark.parametrize("text, part", [
    ("price_books: [", "mine.yaml:"),
    ("price_bocks: []\n", "price_bocks"),
    ("price_books:\n  - {name: a, title: a, basis: rented, date: 2026-11, source: s,\n"
     "     usd_per_gpu_hour: {b200: -1}}\n", "mine.yaml:3: \"b200\""),
    ("price_books:\n  - {name: a, title: a, basis: rented, date: 2026-11, source: s, "
     "usd_per_gpu_hour: {b999: 1}}\n", "b999"),
    ("price_books:\n  - {name: a, title: a, basis: rented, source: s, "
     "usd_per_gpu_hour: {b200: 1}}\n", "date"),
])
def test_a_malformed_book_names_file_line_and_key(run_glint, tmp_path, text, part):
    book = tmp_path / "mine.yaml"
    book.write_text(text)
    result = run_glint("cost", *GIVEN, "--catalog", str(book))
    assert (result.returncode, result.stdout) == (1, "")
    assert part in result.stderr
