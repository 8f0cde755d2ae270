# SPDX-License-Identifier: Apache-2.0
"""The text that the small vocabulary is trained on: sentences of our own, put together at random."""
import random

SENTENCES = """
The server reads the prompt, and the model writes the answer token by token.
A page table says which pages a request holds, and how many of them are free.
It's clear that we'll need more memory; they've measured it, I'm sure, and you'd agree.
When the queue is full, new requests wait, and the old ones go on as before.
Nothing that a client can send may stop the program, slow the others, or read their text.
What is the weather in Bern today? It was sunny in the morning, but the rain came at noon.
She wrote a short story about a lighthouse, a storm, and the keeper who would not leave.
First measure, then change one thing, then measure again: that is the whole method.
Please explain step by step how the sum of the first hundred numbers can be found.
The quick answer is often wrong; the slow answer is sometimes wrong in a new way.
Der Server liest die Anfrage, und das Modell schreibt die Antwort Wort für Wort.
Die Größe des Speichers hängt davon ab, wie viele Schlüssel und Werte darin liegen.
Heute scheint über den Bergen die Sonne, morgen könnte es schon wieder schneien.
Le serveur lit la question et le modèle écrit la réponse, un mot après l'autre.
L'été dernier, nous avons traversé la forêt jusqu'à la rivière où l'eau était très froide.
El servidor lee la pregunta y el modelo escribe la respuesta sin prisa, palabra a palabra.
¿Cuántos años tiene la niña que vive en la casa pequeña junto al río?
O servidor não responde enquanto a memória não estiver livre, mas a fila continua.
Сервер читает запрос, а модель пишет ответ слово за словом.
Сегодня утром было солнечно, но к обеду пошёл дождь, и мы остались дома.
Ο διακομιστής διαβάζει την ερώτηση και το μοντέλο γράφει την απάντηση.
服务器读取请求，模型逐字写出回答。今天天气很好，我们去公园散步吧。
请一步一步地解释，怎样计算前一百个自然数的和。你好，世界！
模型的参数很多，内存很大，但是每一步只用其中的一小部分。
サーバーは質問を読み、モデルは答えを一語ずつ書きます。今日はいい天気ですね。
ありがとうございます。もう一度、ゆっくり説明してください。
서버가 질문을 읽고 모델이 한 단어씩 답을 씁니다. 오늘은 날씨가 좋습니다.
يقرأ الخادم السؤال ويكتب النموذج الجواب كلمة بعد كلمة.
सर्वर प्रश्न पढ़ता है और मॉडल एक-एक शब्द करके उत्तर लिखता है।
def add(left, right):\n    \"\"\"Returns the sum.\"\"\"\n    return left + right\n
for (std::size_t i = 0; i < tokens.size(); ++i) {\n  total += tokens[i].length;\n}\n
if (request == nullptr) return InvalidArgument("no request");\n
{"role": "user", "content": "Hi", "temperature": 0.7, "stream": true}
SELECT name, count(*) FROM requests WHERE status = 'done' GROUP BY name ORDER BY 2 DESC;
# A heading\n\n- the first item\n- the second item\n\n1. `code` and **bold** text\n
<html><body><p class="note">A page</p></body></html>\n
""".strip().split("\n")

EMOJI = "😀 😂 🎉 👍 🚀 ❤️ 🔥 ✅ 👩‍💻 👨‍👩‍👧 🇨🇭 🇯🇵".split()


def lines(seed=5, count=3000):
    """Sentences, whole and shuffled, with numbers, emoji and odd spacing between them."""
    rng = random.Random(seed)
    for _ in range(count):
        words = rng.choice(SENTENCES).replace("\\n", "\n").replace('\\"', '"').split(" ")
        if rng.random() < 0.3:
            rng.shuffle(words)
        if rng.random() < 0.2:
            words.insert(rng.randrange(len(words)), str(rng.randrange(10 ** rng.randrange(1, 8))))
        if rng.random() < 0.1:
            words.append(rng.choice(EMOJI))
        yield " ".join(words) + rng.choice(["", "\n", "\n\n", "\r\n", "  ", "\n    ", "..."])
