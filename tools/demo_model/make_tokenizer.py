# SPDX-License-Identifier: Apache-2.0
"""The tokenizer: byte-level BPE of 4,096 entries with GLM's pre-tokenizer rule and added tokens."""

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from config import ADDED_TOKENS, BASE_VOCAB, SPECIAL_COUNT

PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def _with_added_tokens(tokenizer):
    """Adds the tokens one by one: in one call the special ones would not keep their place."""
    for index, token in enumerate(ADDED_TOKENS):
        special = index < SPECIAL_COUNT
        added = AddedToken(token, normalized=False, special=special)
        (tokenizer.add_special_tokens if special else tokenizer.add_tokens)([added])


def train_tokenizer(texts, path):
    """Trains on an iterable of texts (markup tokens among them do not matter) and writes `path`."""
    import json

    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    split = pre_tokenizers.Split(Regex(PATTERN), behavior="isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=BASE_VOCAB, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False,
        min_frequency=2,
    )  # fmt: skip
    tokenizer.train_from_iterator(texts, trainer)
    size = tokenizer.get_vocab_size()
    if size != BASE_VOCAB:
        raise SystemExit(f"{size} entries instead of {BASE_VOCAB}: too little text")
    _with_added_tokens(tokenizer)
    tokenizer.save(str(path))
    for index, token in enumerate(ADDED_TOKENS):
        if Tokenizer.from_file(str(path)).token_to_id(token) != BASE_VOCAB + index:
            raise SystemExit(f"{token} has the wrong id")
    model = json.loads(path.read_text())["model"]
    if not model["ignore_merges"]:
        raise SystemExit("ignore_merges was lost")
