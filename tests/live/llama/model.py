#!/usr/bin/env python3
"""Writes the chat model of the live tests: 1 MB, no download, no training.

usage: model.py TEMPLATE OUT [--go-on P]

The file is a real one-layer llama network, run by a real llama-server, whose weights are set by hand so that it computes a
Markov chain over its tokens: the embedding is one-hot, attention and feed-forward are zero, and the output matrix holds
the logarithm of the probability of each next token. It therefore ends its sentences and its answers, closes what it
opens in JSON, thinks when the template asks for a thought, and calls a tool when tools are offered.
"""

import argparse
from dataclasses import dataclass, field

import gguf
import numpy as np

PROSE = [
    "The step is done.",
    "The plan is ready for review.",
    "Please send the report to the team.",
    "The data was loaded and then saved.",
    "Next we check the answer.",
    "Café Zürich says “yes” ✅ 你好.",
    "The weather in Paris is mild.",
    "We sort the list and then count the rows.",
]
THOUGHTS = ["Okay user wants something", "Maybe it needs more detail", "Let me consider that again", "So I could start here"]
VALUES = ["Ada", "Paris", "Rome", "blue", "red", "alpha", "note-7", "x", "Straße", "1.5kg"]
# What may follow a character of JSON. The server's grammar cuts away what a schema forbids; this says what is likely.
JSON_FOLLOWS = {
    "{": '"} ', "[": '"{[0123456789]tfn', ",": ' "{[0123456789', ":": ' "{[0123456789tfn', " ": '"{[0123456789tfn-',
    "}": ",}]\n", "]": ",}]\n", '"': ":,}]", "e": ",}]", "l": ",}]",
}  # fmt: skip
# The tokenizer refuses a vocabulary without merges; these are never needed, for each word is a token of its own.
MERGES = ["t h", "h e", "i n"]
CONTEXT_LENGTH = 65536
NEVER = 1e-9
HARDLY = 1e-7


def byte_alphabet():
    """GPT-2's printable stand-in for each byte, by which byte-level vocabularies are spelled."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {**{byte: chr(byte) for byte in printable}, **{byte: chr(256 + n) for n, byte in enumerate(others)}}


ALPHABET = byte_alphabet()


@dataclass
class Vocabulary:
    """Tokens by number: first the 256 bytes, so that any prompt can be read, then words and markers."""

    tokens: list = field(default_factory=lambda: [ALPHABET[byte] for byte in range(256)])
    types: list = field(default_factory=lambda: [gguf.TokenType.NORMAL] * 256)
    ids: dict = field(default_factory=dict)

    def text(self, text):
        spelled = "".join(ALPHABET[byte] for byte in text.encode())
        return text.encode()[0] if len(spelled) == 1 else self._id(spelled, gguf.TokenType.NORMAL)

    def marker(self, text, kind=gguf.TokenType.CONTROL):
        return self._id(text, kind)

    def sentence(self, text):
        words = text.removesuffix(".").split(" ")
        ids = [self.text(word if n == 0 else " " + word) for n, word in enumerate(words)]
        return [*ids, self.text(".")] if text.endswith(".") else ids

    def _id(self, spelled, kind):
        if spelled not in self.ids:
            self.ids[spelled] = len(self.tokens)
            self.tokens.append(spelled)
            self.types.append(kind)
        return self.ids[spelled]


class Chain:
    """Weights of next tokens, gathered first and normalised once the vocabulary is complete."""

    def __init__(self):
        self.weights = {}

    def add(self, before, after, weight):
        self.weights[before, after] = self.weights.get((before, after), 0.0) + weight

    def path(self, ids):
        for before, after in zip(ids, ids[1:]):
            self.add(before, after, 1.0)

    def log_probabilities(self, size, forbidden, end):
        table = np.full((size, size), HARDLY)
        for (before, after), weight in self.weights.items():
            table[before, after] += weight
        table[:, forbidden] = NEVER
        table[:, end] = np.maximum(table[:, end], NEVER)
        return np.log(table / table.sum(axis=1, keepdims=True))


def build(go_on):
    """The vocabulary, the table of log probabilities, and the ids of the two end markers."""
    words, chain = Vocabulary(), Chain()
    text, marker = words.text, words.marker
    end_of_text, turn, turn_end = marker("<|endoftext|>"), marker("<|im_start|>"), marker("<|im_end|>")
    tools_on, think_on = marker("<|tools_on|>"), marker("<|think_on|>")
    spoken = gguf.TokenType.USER_DEFINED
    call, call_end, think, think_end = (marker(m, spoken) for m in ("<tool_call>", "</tool_call>", "<think>", "</think>"))
    responses = [marker("<tool_response>", spoken), marker("</tool_response>", spoken)]
    newline, blank_line = text("\n"), text("\n\n")

    sentences = [words.sentence(sentence) for sentence in PROSE]
    for sentence in sentences:
        chain.path(sentence)
        chain.add(newline, sentence[0], 1.0)
        chain.add(blank_line, sentence[0], 1.0)
        chain.add(tools_on, sentence[0], 1e-3 / len(sentences))
    for sentence, ids in zip(PROSE, sentences):
        following = text(" " + sentence.split(" ")[0])
        chain.add(text("."), following, go_on / len(sentences))
        chain.add(following, ids[1], 1.0)
    chain.add(text("."), turn_end, 1.0 - go_on)

    thought_end = text("?\n")
    chain.add(think_on, think, 1.0)
    for thought in map(words.sentence, THOUGHTS):
        chain.add(think, thought[0], 1.0)
        chain.add(thought_end, thought[0], 0.12)
        chain.path([*thought, thought_end])
    chain.path([thought_end, think_end, blank_line])

    chain.path([tools_on, call, newline])
    chain.add(newline, text("{"), 1e-4)
    chain.add(newline, call, 1e-4)
    chain.add(newline, call_end, 1e-4)
    chain.add(call_end, turn_end, 0.6)
    chain.add(call_end, newline, 0.4)

    for before, following in JSON_FOLLOWS.items():
        for after in following:
            chain.add(text(before), text(after), 0.3)
    chain.path([text("}"), turn_end])
    chain.add(text("}"), call_end, 0.5)
    chain.add(text("]"), turn_end, 0.5)
    values = [text(value) for value in VALUES]
    for value in values:
        chain.path([text('"'), value, text('"')])
        for other in values:
            chain.add(value, other, 0.02)
    for digit in "0123456789":
        for after in ",}]":
            chain.add(text(digit), text(after), 0.3)
        for after in "0123456789.":
            chain.add(text(digit), text(after), 0.02)

    for merge in MERGES:
        text(merge.replace(" ", ""))
    # What only the template may write: an answer that contained it would be read as a new turn.
    forbidden = [turn, tools_on, think_on, end_of_text, *responses]
    return words, chain.log_probabilities(len(words.tokens), forbidden, turn_end), end_of_text, turn_end


def write(out, template, go_on):
    words, table, end_of_text, turn_end = build(go_on)
    size, head, feed_forward = len(words.tokens), 16, 32
    width = (size + 31) // 32 * 32

    writer = gguf.GGUFWriter(out, "llama")
    writer.add_name("stepweave-markov")
    writer.add_description("A hand-set Markov chain for tests; not a trained model")
    writer.add_context_length(CONTEXT_LENGTH)
    writer.add_embedding_length(width)
    writer.add_block_count(1)
    writer.add_feed_forward_length(feed_forward)
    writer.add_head_count(1)
    writer.add_head_count_kv(1)
    writer.add_key_length(head)
    writer.add_value_length(head)
    writer.add_rope_dimension_count(head)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_vocab_size(size)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(words.tokens)
    writer.add_token_types(words.types)
    writer.add_token_merges(MERGES)
    writer.add_bos_token_id(end_of_text)
    writer.add_eos_token_id(turn_end)
    writer.add_pad_token_id(end_of_text)
    writer.add_add_bos_token(False)
    writer.add_chat_template(template)

    # The norm scales a one-hot row by the root of its width; the output matrix takes that back.
    embedding, output = np.zeros((size, width)), np.zeros((size, width))
    embedding[np.arange(size), np.arange(size)] = 1.0
    output[:, :size] = table.T / np.sqrt(width)
    tensors = {
        "token_embd": embedding,
        "output": output,
        "output_norm": np.ones(width),
        "blk.0.attn_norm": np.ones(width),
        "blk.0.ffn_norm": np.ones(width),
        "blk.0.attn_q": np.zeros((head, width)),
        "blk.0.attn_k": np.zeros((head, width)),
        "blk.0.attn_v": np.zeros((head, width)),
        "blk.0.attn_output": np.zeros((width, head)),
        "blk.0.ffn_gate": np.zeros((feed_forward, width)),
        "blk.0.ffn_up": np.zeros((feed_forward, width)),
        "blk.0.ffn_down": np.zeros((width, feed_forward)),
    }
    for name, values in tensors.items():
        writer.add_tensor(f"{name}.weight", np.ascontiguousarray(values, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("template")
    parser.add_argument("out")
    parser.add_argument("--go-on", type=float, default=0.55, help="chance of another sentence after one; 0.9995 hardly ever ends")
    arguments = parser.parse_args()
    with open(arguments.template, encoding="utf-8") as file:
        write(arguments.out, file.read(), arguments.go_on)
