# SPDX-License-Identifier: Apache-2.0
"""Short templates that try one thing each, over VARIABLES. test_render.py runs them in both."""

VARIABLES = {
    "s": "Hello Wörld",
    "empty": "",
    "spaces": "  a \t b\n ",
    "lines": "one\n  two\n\nthree\n",
    "quotes": "it's \"so\" \\ \n\t\u0007\u00a0\u200b\U0001f600é",
    "cjk": "你好，世界",
    "emoji": "👩‍👩‍👧 ok",
    "html": "<a href='x'>&amp;\"</a>",
    "n": 7,
    "neg": -3,
    "zero": 0,
    "f": 1.5,
    "big": 123456789012345678901234567890,
    "huge": 1e16,
    "tiny": 1e-7,
    "yes": True,
    "no": False,
    "null": None,
    "l": [3, 1, 2],
    "words": ["pear", "Apple", "fig", "apple"],
    "mixed": [1, "a", None, True, 2.5, [1, 2], {"k": "v"}],
    "d": {"b": 1, "a": "x", "items": "hidden", "n": {"deep": [1, {"z": None}]}},
    "people": [{"name": "Bo", "age": 5}, {"name": "al", "age": 3}, {"name": "Cy"}],
    "json": {"t": "é\u2028\"\\/\u0001", "f": 1.0, "e": [], "o": {}, "n": None, "b": [True, False]},
}

# Each of these prints something in both.
RENDER = r"""
{{ s }}|{{ n }}|{{ f }}|{{ yes }}|{{ null }}|{{ missing }}|{{ l }}|{{ d }}|{{ mixed }}
{{ big }} {{ huge }} {{ tiny }} {{ 1e22 }} {{ 1.0 }} {{ 100000000000000000.0 }} {{ 0.1 + 0.2 }} {{ -0.0 }} {{ 1e15 }} {{ 123456.789 }} {{ 0.00001 }} {{ 0.0001 }}
{{ quotes }} {{ [quotes] }} {{ {'k': quotes} }}
{{ ['a', "b'c", 'd"e', 'f\'g"h'] }} {{ ['\x00\x7f\xad\u00ff\u2028\ue000\U0001f600'] }}
{{ () }} {{ (1,) }} {{ (1, 2) }} {{ [] }} {{ {} }} {{ {1: 2, 'a': (1, 2), none: true} }} {{ 1, 2 }}
{{ 1 + 2 * 3 - 4 }} {{ 7 / 2 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % 3 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ 2 ** 10 }} {{ 2 ** -1 }} {{ -2 ** 2 }} {{ 2 ** 3 ** 2 }}
{{ 7.5 // 2 }} {{ -7.5 % 2 }} {{ 7.5 % -2 }} {{ 1 / 3 }} {{ 4 / 2 }} {{ 1 + 1.0 }} {{ true + 1 }} {{ 3 * 'ab' }} {{ 'ab' * 0 }} {{ [1] * 3 }} {{ [1] + [2] }} {{ (1,) + (2,) }}
{{ 'a' + 'b' }} {{ 'a' ~ 1 ~ none ~ true ~ 1.5 ~ missing ~ [1] }} {{ 1 ~ 2 }} {{ 'x' 'y' "z" }}
{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 1 == 1.0 == true }} {{ 'a' < 'b' }} {{ [1, 2] < [1, 3] }} {{ 1 != 2 }} {{ 2 >= 2 <= 3 }} {{ 'é' > 'z' }} {{ '😀' > '\uffff' }}
{{ 1 in [1, 2] }} {{ 'a' in 'abc' }} {{ 'b' in d }} {{ 'zz' not in d }} {{ 1 not in [1] }} {{ '' in '' }} {{ none in [none] }} {{ 'x' in missing }} {{ 1.0 in [1] }}
{{ not true }} {{ not not 1 }} {{ 0 or 'x' }} {{ 1 and 'y' }} {{ '' or [] or 0 }} {{ none and 1 }} {{ true and false or true }} {{ not 1 == 2 }}
{{ 'a' if yes else 'b' }} {{ 'a' if no }} {{ 'a' if no else 'b' if yes else 'c' }} {{ ('a' if no) is undefined }}
{{ s[0] }} {{ s[-1] }} {{ s[1:4] }} {{ s[::-1] }} {{ s[-3:] }} {{ s[:-3] }} {{ s[::2] }} {{ s[8:2:-2] }} {{ s[100:] }}| {{ cjk[1:3] }} {{ emoji[0] }} {{ emoji[-2:] }} {{ s[99] }}|
{{ l[0] }} {{ l[-1] }} {{ l[1:] }} {{ l[::-1] }} {{ l[5] }}| {{ l[true] }} {{ (1,2,3)[1:] }} {{ l['x'] }}| {{ l[1.0] }}| {{ l[-9:9] }} {{ l[2:0:-1] }} {{ l[:0] }} {{ l.0 }} {{ l.1 + 1 }}
{{ d.b }} {{ d['a'] }} {{ d.zz }}| {{ d['items'] }} {{ d.n.deep[1].z }} {{ d.n.deep.0 }} {{ d[1] }}| {{ d['n']['deep'][1]['z'] is none }} {{ n.foo }}| {{ null.foo }}| {{ s.foo }}|
{{ d.items() }} {{ d.keys() }} {{ d.values() }} {{ d.get('b') }} {{ d.get('q') }} {{ d.get('q', 5) }} {{ d.items()|list }} {{ d|items|list }} {{ d|list }} {{ d|length }} {{ {}.items() }}
{{ 'items' in d }} {{ d.items is callable }} {{ d.pop is defined }} {{ l.append is defined }} {{ 'abc'['upper']() }}
{{ s.upper() }} {{ s.lower() }} {{ s.title() }} {{ s.capitalize() }} {{ 'ß ŉ ǆ'.upper() }} {{ 'ΑΣ ΑΣΑ Σ'.lower() }} {{ 'İI'.lower() }} {{ "they're bill's ǆx".title() }} {{ 'ÉCOLE'.capitalize() }}
[{{ spaces.strip() }}] [{{ spaces.lstrip() }}] [{{ spaces.rstrip() }}] [{{ 'xxhixx'.strip('x') }}] [{{ 'abcab'.lstrip('ba') }}] [{{ 'ééaé'.rstrip('é') }}] [{{ '\u3000a\u00a0'.strip() }}] [{{ 'a'.strip(none) }}]
{{ 'a,b,,c'.split(',') }} {{ ' a  b '.split() }} {{ 'a b c d'.split(' ', 2) }} {{ ' a b  c '.split(none, 1) }} {{ 'a,b,c'.rsplit(',', 1) }} {{ ' a b  c '.rsplit(none, 1) }} {{ ''.split() }} {{ ''.split(',') }} {{ 'abc'.split('b')[-1] }} {{ 'a-b'.split(sep='-') }} {{ 'a b'.split(maxsplit=0) }} {{ 'x y z'.rsplit() }} {{ 'x'.split('xx') }}
{{ 'a\nb\r\nc\x0bd\u2028e\n'.splitlines() }} {{ 'a\n\nb'.splitlines(true) }} {{ ''.splitlines() }}
{{ 'abcb'.find('b') }} {{ 'abcb'.rfind('b') }} {{ 'abc'.find('z') }} {{ 'éab'.find('b') }} {{ 'abcabc'.find('c', 3) }} {{ 'abcabc'.find('a', -3, -1) }} {{ 'abc'.index('c') }} {{ 'abc'.rindex('a') }} {{ 'aaa'.count('a') }} {{ 'aaa'.count('aa') }} {{ 'abc'.count('') }} {{ 'abc'.find('', 3) }} {{ 'abc'.find('', 4) }}
{{ s.startswith('He') }} {{ s.endswith('ld') }} {{ s.startswith(('x', 'H')) }} {{ s.startswith('l', 2) }} {{ s.endswith('') }} {{ 'abc'.startswith('b', 1, 2) }} {{ 'abc'.endswith('b', 0, 2) }} {{ 'abc'.startswith('', 4) }}
{{ 'aXbXc'.replace('X', '-') }} {{ 'aXbXc'.replace('X', '', 1) }} {{ 'ab'.replace('', '.') }} {{ 'ab'.replace('', '.', 2) }} {{ 'é'.replace('', '-') }} {{ 'aaa'.replace('aa', 'b') }}
{{ ', '.join(['a', 'b']) }} {{ ''.join([]) }} {{ '-'.join('abc') }} {{ '|'.join(d) }}
{{ 'abc'.removeprefix('a') }} {{ 'abc'.removesuffix('bc') }} {{ 'k=v=w'.partition('=') }} {{ 'k=v=w'.rpartition('=') }} {{ 'kv'.partition('=') }} {{ 'kv'.rpartition('=') }}
{{ '12'.isdigit() }} {{ '½'.isnumeric() }} {{ '²'.isdigit() }} {{ '²'.isdecimal() }} {{ 'ab1'.isalnum() }} {{ 'é'.isalpha() }} {{ ''.isalpha() }} {{ ' \t'.isspace() }} {{ 'aB'.islower() }} {{ 'AB1'.isupper() }} {{ '1'.isupper() }}
[{{ 'ab'.ljust(5) }}] [{{ 'ab'.rjust(5, '.') }}] [{{ 'ab'.center(5) }}] [{{ 'abc'.center(6, 'é') }}] [{{ '-5'.zfill(5) }}] [{{ 'ab'.center(1) }}] [{{ 'a'.center(4) }}]
{{ '{} {}'.format(1, 'a') }} {{ '{1}{0}{{}}'.format('a', 'b') }} {{ '{x}-{y!r}'.format(x=1, y='q') }} {{ '{0[k]} {0[l][1]}'.format({'k': 'v', 'l': [1, 2]}) }}
{{ '%s is %d' % ('a', 5) }} {{ '%5d|%-5d|%05d|%+d|%x|%X|%o' % (42, 42, 42, 42, 255, 255, 8) }} {{ '%.2f %e %g %5.1f' % (3.14159, 12345.678, 0.0001, 2.25) }} {{ '%r' % 'a' }} {{ '100%%' % () }} {{ '%(a)s %(b)03d' % {'a': 1, 'b': 2} }} {{ '%s' % none }} {{ '%.2s|' % 'abc' }} {{ '%s' % [1] }} {{ '%i' % 3.9 }}
{{ '%s-%s'|format('a', 1) }} {{ '%(x)s'|format(x=2) }}
{{ l|length }} {{ s|length }} {{ cjk|length }} {{ d|count }} {{ missing|length }} {{ (1,2)|length }} {{ d.items()|length }}
{{ spaces|trim }}| {{ 'xxaxx'|trim('x') }} {{ n|trim }} {{ none|trim }} {{ missing|trim }}|
{{ l|join }} {{ l|join(', ') }} {{ mixed|join('-') }} {{ people|join('/', attribute='name') }} {{ 'abc'|join('.') }} {{ [none, missing]|join(',') }} {{ d|join(' ') }}
{{ missing|default('x') }} {{ null|default('x') }} {{ ''|default('x', true) }} {{ ''|d('x', boolean=true) }} {{ missing|default }}| {{ 0|default(5) }} {{ d.zz|default('y') }} {{ missing|default(other) }}|
{{ s|upper }} {{ s|lower }} {{ 'hello world-foo(bar) <x'|title }} {{ 'hELLO'|capitalize }} {{ n|upper }} {{ none|lower }} {{ 'ǆa'|title }} {{ "it's"|title }}
{{ 'aXbX'|replace('X', 'y') }} {{ 'aXbX'|replace('X', 'y', 1) }} {{ 1112|replace(1, 0) }} {{ 'aa'|replace(old='a', new='b') }}
{{ l|first }} {{ l|last }} {{ 'abc'|first }} {{ 'abc'|last }} {{ []|first }}| {{ []|last }}| {{ d|first }} {{ d|last }} {{ missing|first }}| {{ missing|last }}| {{ d.values()|first }}
{{ 'abc'|list }} {{ (1, 2)|list }} {{ missing|list }} {{ range(3)|list }} {{ range(1, 10, 3)|list }} {{ range(3, 0, -1)|list }} {{ range(3) }} {{ range(1, 5, 2) }} {{ range(5)[1] }} {{ range(0)|list }} {{ 2 in range(3) }}
{{ n|string }} {{ none|string }} {{ [1]|string }} {{ missing|string }}| {{ 1.0|string }} {{ (n|string) + 'x' }} {{ true|string|length }}
{{ '42'|int }} {{ 'x'|int }} {{ 'x'|int(5) }} {{ '4.7'|int }} {{ 4.7|int }} {{ -4.7|int }} {{ ' 12 '|int }} {{ '0x1f'|int(base=16) }} {{ '1f'|int(0, 16) }} {{ '1_000'|int }} {{ none|int }} {{ true|int }} {{ '12345678901234567890123'|int }} {{ 1e20|int }} {{ '1e3'|int }} {{ 'inf'|int }} {{ '+5'|int }} {{ '-0'|int }} {{ []|int }} {{ '0b11'|int(base=0) }} {{ '08'|int }}
{{ '1.5'|float }} {{ 'x'|float }} {{ 'x'|float(2) }} {{ 3|float }} {{ 'inf'|float }} {{ '-Infinity'|float }} {{ 'nan'|float }} {{ ' 1e5 '|float }} {{ '1_0.5'|float }} {{ none|float }} {{ '.5'|float }} {{ '5.'|float }}
{{ -5|abs }} {{ neg|abs }} {{ -1.5|abs }} {{ 2.5|round }} {{ 3.5|round }} {{ 2.567|round(2) }} {{ 2.675|round(2) }} {{ 2.1|round(0, 'ceil') }} {{ 2.9|round(method='floor') }} {{ 7|round }} {{ 1.25|round(1, 'ceil') }} {{ -2.5|round }} {{ 7|round(1, 'floor') }}
{{ l|sort }} {{ words|sort }} {{ words|sort(case_sensitive=true) }} {{ l|sort(reverse=true) }} {{ words|sort(true) }} {{ people[:2]|sort(attribute='age') }} {{ people|sort(attribute='name') }} {{ 'bca'|sort }} {{ d|dictsort }} {{ {'B': 2, 'a': 1}|dictsort }} {{ {'B': 2, 'a': 1}|dictsort(true) }} {{ {'x': 2, 'y': 1}|dictsort(by='value') }} {{ {'x': 2, 'y': 1}|dictsort(false, 'key', true) }}
{{ words|unique|list }} {{ [1, 1.0, true, 2]|unique|list }} {{ words|unique(true)|list }} {{ l|min }} {{ l|max }} {{ words|min }} {{ words|max }} {{ []|min }}| {{ people[:2]|max(attribute='age') }} {{ l|sum }} {{ []|sum }} {{ people[:2]|sum('age') }} {{ l|sum(start=10) }} {{ [1.5, 2]|sum }}
{{ l|reverse|list }} {{ 'abc'|reverse }} {{ d|reverse|list }} {{ (1,2)|reverse|join }}
{{ l|map('string')|list }} {{ people|map(attribute='name')|list }} {{ people|map(attribute='age', default=0)|list }} {{ words|map('upper')|join(' ') }} {{ words|map('replace', 'p', 'q')|list }} {{ people|map(attribute='name')|map('lower')|join(',') }} {{ [[1,2],[3,4]]|map('first')|list }} {{ [[1,2],[3,4]]|map(attribute=1)|list }} {{ [{'a': [7]}]|map(attribute='a.0')|list }} {{ ['a']|map('default', 'x')|list }}
{{ l|select('odd')|list }} {{ l|select('greaterthan', 1)|list }} {{ mixed|select|list }} {{ l|reject('odd')|list }} {{ mixed|reject|list }} {{ people|selectattr('age')|map(attribute='name')|list }} {{ people|selectattr('age', 'defined')|list|length }} {{ people|selectattr('name', 'equalto', 'Bo')|list }} {{ people|rejectattr('name', 'in', ['Bo', 'Cy'])|list }} {{ people|selectattr('age', '>', 3)|first if false else 'skip' }} {{ people[:2]|selectattr('age', '>', 3)|list }} {{ mixed|select('string')|list }} {{ [none, 1]|select('none')|list }}
{{ people|selectattr('age', 'defined') is iterable }} {{ (l|map('string')) is sequence }} {{ 'yes' if people|selectattr('name', 'equalto', 'zz') else 'no' }} {{ missing|map('upper')|list }} {{ none|map('upper')|list }} {{ (l|map('string')|first) }}
{{ lines|indent }} {{ lines|indent(2) }} {{ lines|indent(2, true) }} {{ lines|indent(2, blank=true) }} {{ lines|indent('> ') }} {{ 'a'|indent(2) }} {{ ''|indent(2, true) }}| {{ 'a\n'|indent(first=true) }}|
{{ json|tojson }} {{ s|tojson }} {{ s|tojson(ensure_ascii=true) }} {{ emoji|tojson(true) }} {{ json|tojson(indent=2) }} {{ [1,[2,{'a':[]}]]|tojson(indent=4) }} {{ {'b':1,'a':2}|tojson(sort_keys=true) }} {{ [1,{'a':2}]|tojson(separators=(',', ':')) }} {{ [1,2]|tojson(indent='--') }} {{ (1,2)|tojson }} {{ {1:2, none:3, true:4, 1.5:5}|tojson }} {{ big|tojson }} {{ huge|tojson }} {{ ('inf'|float)|tojson }} {{ 'a\u2028\x7f/\b\f'|tojson }} {{ {}|tojson(indent=2) }} {{ []|tojson(indent=2) }} {{ [1]|tojson(indent=0) }}
{{ html|e }} {{ html|escape|e }} {{ html|safe }} {{ (html|safe) + '<' }} {{ '<' + (html|safe) }} {{ (html|safe) ~ '<' }} {{ [html|safe] }} {{ html|forceescape }} {{ html|safe|upper }} {{ (html|e)|length }} {{ (s|safe) == s }} {{ html|safe is escaped }} {{ s is escaped }}
{{ 'a b c d e f g'|truncate(9) }} {{ 'a b c d e f g h i j k'|truncate(9, true) }} {{ 'abcdefghijklmnop'|truncate(5, leeway=0) }} {{ 'a bc defghij klm'|truncate(8, end='…', leeway=0) }} {{ 'the quick fox'|wordcount }} [{{ 'x'|center(5) }}]
{{ missing is defined }} {{ missing is undefined }} {{ s is defined }} {{ null is defined }} {{ null is none }} {{ d.zz is defined }} {{ d.b is defined }} {{ missing is none }} {{ missing == missing2 }} {{ missing == none }} {{ missing is not defined }}
{{ s is string }} {{ n is string }} {{ d is mapping }} {{ l is mapping }} {{ s is iterable }} {{ n is iterable }} {{ missing is iterable }} {{ l is sequence }} {{ d is sequence }} {{ s is sequence }} {{ missing is sequence }} {{ none is sequence }} {{ d.items() is sequence }} {{ d.items() is iterable }} {{ range(3) is sequence }}
{{ n is number }} {{ f is number }} {{ yes is number }} {{ n is integer }} {{ yes is integer }} {{ f is integer }} {{ f is float }} {{ n is float }} {{ yes is boolean }} {{ n is boolean }} {{ yes is true }} {{ 1 is true }} {{ no is false }} {{ big is integer }} {{ big is number }}
{{ 3 is odd }} {{ 4 is even }} {{ -3 is odd }} {{ 9 is divisibleby 3 }} {{ 9 is divisibleby(2) }} {{ 3 is eq 3 }} {{ 3 is equalto(4) }} {{ 3 is ne 4 }} {{ 3 is lt 4 }} {{ 3 is gt(4) }} {{ 3 is ge 3 }} {{ 3 is in [1, 3] }} {{ 3 is not in [1, 3] }} {{ 'a' is in 'abc' }} {{ none is sameas none }} {{ 1 is sameas true }} {{ 'abc' is lower }} {{ 'ABC' is upper }} {{ 3 is not odd }} {{ 'trim' is filter }} {{ 'odd' is test }} {{ 'zzz' is filter }}
{{ x is defined and x }} {{ s is string and s|length > 3 }} {{ not s is string }} {{ s is string == true }} {{ 1 + 2|abs }} {{ -1|abs }} {{ 2 * 3|string }} {{ (1, 2)|first + 1 }} {{ s|length is gt 3 }} {{ 'a' if s is string else 'b' }}
{% set x = 1 %}{% for i in l %}{{ x }}{% set x = x + i %}{% endfor %}{{ x }}
{% set ns = namespace(a=1, b='x') %}{% for i in l %}{% set ns.a = ns.a + i %}{% endfor %}{{ ns.a }}{{ ns.b }}{{ ns.c }}|{{ ns.c is defined }}{% set ns.c = none %}{{ ns.c }}
{% set ns = namespace({'k': 1}, j=2) %}{{ ns.k }}{{ ns.j }}{{ ns['k'] }} {{ dict(a=1, b=2) }} {{ dict({'x': 1}, y=2) }} {{ dict([('p', 1), ('q', 2)]) }}
{% set a, b = 1, 2 %}{{ a }}{{ b }}{% set (c, d2) = [3, 4] %}{{ c }}{{ d2 }}{% set e = 1, 2 %}{{ e }}
{% set t %}  block {{ n }}{% endset %}[{{ t }}]{% set u | upper | trim %} up {% endset %}[{{ u }}]{{ t is string }}
{% for x in l %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.depth }}{{ loop.cycle('a', 'b') }}{{ loop.changed(x) }};{% endfor %}
{% for x in [] %}x{% else %}none{% endfor %}{% for x in l %}{{ x }}{% else %}none{% endfor %}{% for x in missing %}x{% else %}undefined{% endfor %}{% for x in l if x > 5 %}x{% else %}no match{% endfor %}
{% for x in l if x != 1 %}{{ loop.index }}:{{ x }}:{{ loop.last }}:{{ loop.length }} {% endfor %}{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}{% for k in d %}{{ k }}{% endfor %}{% for c in 'añb' %}{{ c }}.{% endfor %}
{% for a, b in [(1, 2), [3, 4], 'xy'] %}{{ a }}-{{ b }} {% endfor %}{% for a, (b, c) in [(1, (2, 3))] %}{{ a }}{{ b }}{{ c }}{% endfor %}{% for i in range(10) %}{% if i == 2 %}{% continue %}{% endif %}{% if i > 4 %}{% break %}{% endif %}{{ i }}{% endfor %}
{% for x in l %}{% for y in l %}{{ loop.index }}{% if y == 1 %}{% break %}{% endif %}{% endfor %}{{ loop.index }}{% else %}e{% endfor %}{% for x in l %}{% break %}{% else %}never{% endfor %}{% for x in l %}{% set outer = loop %}{% for y in l %}{{ outer.index }}{{ loop.index }} {% endfor %}{% endfor %}
{% set ns = namespace(stop=false) %}{% for x in l if not ns.stop %}{{ x }}{% set ns.stop = true %}{% endfor %}{% set g = l|map('string') %}{% for x in g %}{{ x }}{% break %}{% endfor %}{{ g|list }}{{ g|list }}
{% for x in l %}{{ x if loop.last else x ~ ', ' }}{% endfor %}{% for m in people if m.age is defined and m.age > 3 %}{{ m.name }}{% endfor %}{% for x in l|sort %}{{ x }}{% endfor %}{% for x in (1, 2) %}{{ x }}{% endfor %}{% for x in 1, 2 %}{{ x }}{% endfor %}
{% macro m(a, b=2, c='z') %}{{ a }}{{ b }}{{ c }};{% endmacro %}{{ m(1) }}{{ m(1, 3) }}{{ m(1, c='q') }}{{ m() }}{{ m(b=7, a=8) }}{{ m is callable }}{{ m(1)|upper }}
{% macro m(a) %}{{ a }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, 3, k=4) }}{% macro n2(x, y=x) %}{{ x }}{{ y }}{% endmacro %}{{ n2(5) }}{% macro r(i) %}{{ i }}{% if i > 0 %}{{ r(i - 1) }}{% endif %}{% endmacro %}{{ r(5) }}
{% macro wrap(t) %}<{{ t }}>{{ caller() }}</{{ t }}>{% endmacro %}{% call wrap('b') %}in {{ n }}{% endcall %}{% macro lst(xs) %}{% for x in xs %}{{ caller(x) }}{% endfor %}{% endmacro %}{% call(x) lst(l) %}[{{ x }}]{% endcall %}{% macro nocall() %}{{ caller is defined }}{% endmacro %}{{ nocall() }}
{% macro late() %}{{ v }}{% endmacro %}{% set v = 1 %}{{ late() }}{% set v = 2 %}{{ late() }}{% macro sees() %}{{ n }}{% set n = 99 %}{{ n }}{% endmacro %}{{ sees() }}{{ n }}
{% for i in l %}{% macro inner() %}{{ i }}{% endmacro %}{{ inner() }}{% endfor %}{% set ns = namespace(f=none) %}{% for i in l %}{% macro keep() %}k{{ i }}{{ loop.index }}{% endmacro %}{% set ns.f = keep %}{% endfor %}{{ 'done' }}
{% filter upper %}a{{ s }}{% endfilter %}{% filter replace('a', 'b')|trim %} aaa {% endfilter %}{% with a = 1, b = n %}{{ a }}{{ b }}{% set a = 5 %}{{ a }}{% endwith %}{{ a }}|{% with %}w{% endwith %}
{% generation %}gen {{ n }}{% set gx = 1 %}{% endgeneration %}{{ gx }}|{% if yes %}{% set iffy = 1 %}{% endif %}{{ iffy }}{% if no %}{% set n = 5 %}{% endif %}{{ n }}{% if no %}a{% elif n == 7 %}b{% else %}c{% endif %}
{% if missing %}a{% elif null %}b{% elif '' %}c{% elif [] %}d{% elif {} %}e{% elif 0.0 %}f{% else %}g{% endif %}{% if 'x' and l and d %}yes{% endif %}{% if not missing %}nm{% endif %}{% if (1, 2) %}t{% endif %}{% if 1, %}u{% endif %}
{% for m in [1, 2] %}{% for y in [1] %}{{ n }}{% endfor %}{% set n = m %}{{ n }}{% endfor %}{{ n }}
{% macro f() %}{{ n }}{% endmacro %}{{ f() }}{% set n = 1 %}{{ f() }}
{% for x in l %}{% if x == 3 %}{% set n = x %}{% endif %}{{ n }}{% endfor %}{{ n }}
{% set items = 5 %}{{ items }}{% set d = {'items': 1} %}{{ d['items'] }}{{ d.items is callable }}{{ d.values()|list }}{{ d.copy() }}
{{ 1_000 }} {{ 0x1F }} {{ 0b101 }} {{ 0o17 }} {{ 1e3 }} {{ 1.5e-3 }} {{ 12345678901234567890 }} {{ 9223372036854775807 }} {{ 1_0.2_5 }}
{# comment #}a{#- trimmed -#} b {#+ x +#}
c{{- 'd' -}} e {{+ 'f' }} {% raw %}{{ not }} {% endraw %}|{%- raw -%}  x  {%- endraw -%} y
x  {%- if true -%}  y  {%- endif -%}  z
{{ x is defined }}{{ l[0:2] }}{{ 'a' in ['a'] and 'b' not in ['a'] }}{{ [1, 2,] }}{{ {'a': 1,} }}{{ (1, 2,) }}{{ m2 | default([]) | length }}
{{ 5 == 5.0 }} {{ '5' == 5 }} {{ [1, 2] == [1, 2] }} {{ [1] == (1,) }} {{ {'a': 1} == {'a': 1.0} }} {{ none == false }} {{ true == 1 }} {{ big == big }} {{ big > 5 }} {{ big < 1e40 }} {{ 9007199254740993 == 9007199254740992.0 }} {{ d == d }} {{ range(3) == range(3) }}
{{ people[0].name }} {{ people[-1]['name'] }} {{ people[1].age }} {{ people.0.name }} {{ people[0]['name'][0]|lower }} {{ (people|first).name }} {{ people[0].get('zz', {}).get('y') }} {{ ({'a': {'b': 1}}).a.b }}
{{ 'x'.join(['1', '2']) ~ 'y' * 2 }} {{ '%s' % s if s else '' }} {{ (s ~ n).upper()[::-1].lower().split('ö')[0] }} {{ [l, l]|map('join', '-')|join('+') }} {{ s.split(' ')|map('length')|list }} {{ s|replace(' ', '')|length }}
{{ 'á'|upper|lower }}{{ 'ﬁ'.upper() }}{{ 'ÿ'.upper() }}{{ 'Ⅷ'.lower() }}{{ 'ꭰ'.upper() }}{{ 'Ꭰ'.lower() }}{{ 'ᾳ'.title() }}{{ 'ŀ'.upper() }}{{ 'straße'.title() }}
{% set ns = namespace(found=false) %}{% for m in people %}{% if m.name == 'al' %}{% set ns.found = true %}{% break %}{% endif %}{% endfor %}{{ ns.found }}{% set ns.x, ns.y = 1, 2 %}{{ ns.x + ns.y }}
{% set x = none %}{{ x }}{% set x = x or 'dflt' %}{{ x }}{% set l = l + [4] %}{{ l }}{% set l = l[1:] %}{{ l|length }}{% set d = dict(d, zz=1) %}{{ d.zz }}
{{ none|default('a')|string }} {{ missing|default(none) is none }} {{ (missing|default({})).x is defined }} {{ [missing]|length }} {{ [missing] }} {{ {'a': missing} }} {{ missing ~ 'x' }}
{{ 10 % 3 }}{{ 10.5 % 3 }}{{ '%d' % true }}{{ 3.0 // 1 }}{{ 0.1 * 3 }}{{ 1e308 * 10 }}{{ 2 ** 0.5 }}{{ 2 ** 62 }}{{ 7 // -2 }}{{ -7 // -2 }}{{ 0 ** 0 }}{{ 6.0 / 2 }}{{ -7 % 7 }}{{ 5 // 0.3 }}
{{ people|selectattr('age', '>', 3)|map(attribute='name')|first }} {{ [none, none]|sort }} {{ '{0[zz]}'.format({}) }} {{ s[big:] }}|{{ s[:big] }}
{{ l.index(2) }} {{ l.count(1) }} {{ (1, 2, 1).count(1) }} {{ (5, 6).index(6) }} {{ 'a'.upper is callable }} {{ l.copy() }} {{ loop is defined }}{% set loop2 = 1 %}
""".strip("\n").split("\n")

# Spanning lines: white space around tags.
BLOCKS = [
    "{{ 'a\tb\\n\\x41\\u00e9\\'\\\"\\101\\q' }} {{ \"a\\\nb\" }} {{ 'multi\nline' }}",
    "a\n  {% if true %}\n    b\n  {% endif %}\nc\n",
    "a\n  {%+ if true %}\n    b\n  {% endif +%}\nc\n",
    "  {%- if true -%}  \n b \n {%- endif -%} \n\n c",
    "\n\n{% for x in l %}\n  - {{ x }}\n{% endfor %}\n\nend\n\n",
    "{% for x in l -%}\n  {{ x }},\n{%- endfor %}\n",
    "{% set a = 1 %}\n{% set b = 2 %}\n{{ a }}\n{{ b }}\n",
    "a {# c #}\nb\n  {# own line #}\nc {#- x -#} \n d",
    "  {# own line #}  \nx\t{% if true %}\ty\t{% endif %}\tz",
    "x{% raw %}\n {{ a }} {% b %} {# c #}\n{% endraw %}\ny",
    "x {%- raw -%} \n {{ a }}\n  {%- endraw -%} \n y",
    "  {% raw %}\n a\n  {% endraw %}\n b",
    "{% raw %}{% endraw %}{% raw -%}\n a{% endraw +%}\n",
    "a\r\nb\rc\n{% if true %}\r\nd\r\n{% endif %}\r\n",
    "{{ 'a' }}\n{{ 'b' }}\n\n",
    "{{- 'a' -}}\n{{+ 'b' }}\n",
    "\u00a0 {% if true %}x{% endif %}\n\u3000{% if true %}y{% endif %}",
    "text {% if true %}\n\n\nkeeps two{% endif %}",
    "{% if true %}{% endif %}\n\n{% if true %} {% endif %}\n",
    "{%- macro m() -%}\n  body\n{%- endmacro -%}\n[{{ m() }}]\n",
    "{% macro m() %}\n  body\n{% endmacro %}\n[{{ m() }}]\n",
    "{% set t %}\n  a\n  b\n{% endset %}\n[{{ t }}]",
    "{{ {'a': {'b': {}}} }}{{ {'a': [1, {'b': 2}]}['a'][1]['b'] }}",
    "{ {{ 1 }} } { % x % } {{ '{{' }} {{ '%}' }} {{ '}}' }}",
    "{% if l %}{% for x in l %}{% if x %}{{ x }}{% endif %}{% endfor %}{% endif %}",
    "{%\n if\n true\n %}a{%\n endif\n %}",
    "",
    "\n",
    "plain text, no tags",
    "{",
    "{ { } }",
    "a\n",
    "a\n\n",
]

# Python raises for each of these; so must we, when loading or when rendering.
FAIL = r"""
{{ missing.x }}
{{ missing['x'] }}
{{ missing() }}
{{ d.zz.y }}
{{ d.zz() }}
{{ missing + 1 }}
{{ 'a' + missing }}
{{ missing < 1 }}
{{ missing|int }}
{{ missing|float }}
{{ -missing }}
{{ missing[1:] }}
{{ null[1:] }}
{{ n[1:] }}
{{ d[1:] }}
{{ 'a' + 1 }}
{{ 1 + 'a' }}
{{ [] + 'a' }}
{{ {} + {} }}
{{ 'a' - 'b' }}
{{ 'a' < 1 }}
{{ none < 1 }}
{{ [1] < ['a'] }}
{{ 1 in 2 }}
{{ 1 in 'abc' }}
{{ 'a' in none }}
{{ 1 / 0 }}
{{ 1 // 0 }}
{{ 1 % 0 }}
{{ 1.0 / 0 }}
{{ raise_exception('stop') }}
{{ raise_exception() }}
{% for x in none %}{% endfor %}
{% for x in 5 %}{% endfor %}
{% for a, b in [1] %}{% endfor %}
{% for a, b in [(1, 2, 3)] %}{% endfor %}
{% set a, b = 1 %}
{% set a, b = [1] %}
{{ n() }}
{{ s() }}
{{ s.foo() }}
{{ l.append(4) }}
{{ d.update({}) }}
{{ d.pop('a') }}
{{ l|zzz }}
{{ l is zzz }}
{{ zzz() }}
{{ missing|tojson }}
{{ [missing]|tojson }}
{{ (l|map('string'))|tojson }}
{{ (l|map('string'))|length }}
{{ d.items()|tojson }}
{{ none|length }}
{{ 5|length }}
{{ 5|list }}
{{ none|join }}
{{ 5|first }}
{{ (l|map('string'))|last }}
{{ mixed|sort }}
{{ mixed|max }}
{{ people|sort(attribute='age') }}
{{ [1, 'a']|sum }}
{{ 'a'|abs }}
{{ 'a'|round }}
{{ 1.5|round(1, 'zzz') }}
{{ 5|indent }}
{{ ['a', 1]|map('upper', 3)|list }}
{{ l|map('zzz')|list }}
{{ l|select('zzz')|list }}
{{ l|map|list }}
{{ l|selectattr|list }}
{{ people|map(attribute='age.x')|list }}
{{ 'abc'.index('z') }}
{{ 'a'.join([1]) }}
{{ 'a'.split('') }}
{{ 'a'.replace('a') }}
{{ 'a'.replace('a', 1) }}
{{ 'a'.startswith(1) }}
{{ 'a'.startswith(['a']) }}
{{ 'a'.strip(1) }}
{{ 'a'.upper(1) }}
{{ 'a'.center('x') }}
{{ 'a'.center(5, 'ab') }}
{{ 'a'.find() }}
{{ l.index(99) }}
{{ d.get() }}
{{ d.get([]) }}
{{ {[]: 1} }}
{{ [] in {} }}
{{ 'a' * 'b' }}
{{ s[::0] }}
{{ s['a':] }}
{{ '%d' % 'a' }}
{{ '%s %s' % 'a' }}
{{ '%s' % ('a', 'b') }}
{{ '%z' % 1 }}
{{ '%(a)s' % {} }}
{{ '{}'.format() }}
{{ '{x}'.format() }}
{{ '{'.format() }}
{{ '}'.format() }}
{{ 1 is divisibleby 0 }}
{{ 'a' is divisibleby 2 }}
{{ 1 is in 5 }}
{{ missing is lt 1 }}
{% set ns = namespace() %}{% set ns.a.b = 1 %}
{% set x = 1 %}{% set x.y = 2 %}
{% set d.y = 2 %}
{% set loop = 1 %}{% for x in l %}{% set loop = 2 %}{% endfor %}
{% set 1 = 2 %}
{% set true = 2 %}
{% set a.b.c = 2 %}
{% for 1 in l %}{% endfor %}
{% for x in l %}
{% if yes %}
{% endif %}
{% endfor %}
{% else %}
{% if %}a{% endif %}
{% for x %}{% endfor %}
{% zzz %}
{% break %}
{% continue %}
{% for x in l %}{% macro m() %}{% break %}{% endmacro %}{% endfor %}
{% macro m %}{% endmacro %}
{% macro m(a=1, b) %}{% endmacro %}
{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}
{% macro m(a) %}{% endmacro %}{{ m(b=2) }}
{% macro m(a) %}{% endmacro %}{{ m(1, a=2) }}
{% macro m() %}{{ caller() }}{% endmacro %}{{ m() }}
{% macro m() %}{% endmacro %}{% call m() %}{% endcall %}
{% call 5 %}{% endcall %}
{{ }}
{{ 1 + }}
{{ (1 }}
{{ [1 }}
{{ {1: } }}
{{ {1} }}
{{ 1 2 }}
{{ a b }}
{{ 'a }}
{{ s| }}
{{ s is }}
{{ s. }}
{{ s[ }}
{{ f(a=1, 2) }}
{{ ) }}
{{ ] }}
{{ @ }}
{{ 1 if }}
{{ x is defined if yes else no }}
{{ not }}
{{ s is string is string }}
{{ '\x4' }}
{{ '\u12' }}
{{ a
{% if
{# never closed
{% raw %}{% endraw %}{% raw +%}
{% raw %} never closed
{% if yes %}{% endfor %}
{% for x in l %}{% endif %}
{% set x %}
{% filter zzz %}{% endfilter %}
{% generation %}
{{ range() }}
{{ range('a') }}
{{ range(1, 2, 0) }}
{{ range(1000000)|list }}
{{ dict(1) }}
{{ dict([1]) }}
{{ namespace(5) }}
{{ loop.index }}
{{ l|tojson(zzz=1) }}
{{ s|trim(1) }}
{{ s|default(1, 2, 3) }}
{{ s|replace('a') }}
{{ s|join(attribute='x', zzz=2) }}
{{ s|truncate(2) }}
{{ none.x.y }}
{{ people|selectattr('age', '>', 3)|list }}
{% for x in people|selectattr('age', '>', 3) %}{% endfor %}
{{ l[0].x.y }}
""".strip("\n").split("\n")
