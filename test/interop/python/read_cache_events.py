# Reads the cache events of a server with ZeroMQ and msgspec, as programs for vLLM do: the past from one socket, then those
# that arrive on the other one, until nothing has come for two seconds. Prints what the cache has.

import json
import sys

import msgspec
import zmq


class Event(msgspec.Struct, array_like=True, tag=True):
    pass


class BlockStored(Event):
    block_hashes: list[int | bytes]
    parent_block_hash: int | bytes | None
    token_ids: list[int]
    block_size: int
    lora_id: int | None
    medium: str | None
    lora_name: str | None


class BlockRemoved(Event):
    block_hashes: list[int | bytes]
    medium: str | None


class AllBlocksCleared(Event):
    pass


class Batch(msgspec.Struct, array_like=True):
    ts: float
    events: list[BlockStored | BlockRemoved | AllBlocksCleared]
    data_parallel_rank: int | None = None


END = -1
decoder = msgspec.msgpack.Decoder(Batch)
blocks = {}
removed = 0
numbers = []


def apply(number, payload):
    global removed
    if number in numbers:
        return
    numbers.append(number)
    for event in decoder.decode(payload).events:
        if isinstance(event, BlockStored):
            size = event.block_size
            assert len(event.token_ids) == size * len(event.block_hashes)
            parent = event.parent_block_hash
            for index, key in enumerate(event.block_hashes):
                assert parent is None or parent in blocks
                blocks[key] = event.token_ids[index * size : (index + 1) * size]
                parent = key
        elif isinstance(event, BlockRemoved):
            removed += len(event.block_hashes)
            for key in event.block_hashes:
                del blocks[key]


context = zmq.Context()
live = context.socket(zmq.SUB)
live.connect(f"tcp://127.0.0.1:{sys.argv[1]}")
live.setsockopt(zmq.SUBSCRIBE, b"")
replay = context.socket(zmq.DEALER)
replay.connect(f"tcp://127.0.0.1:{sys.argv[2]}")
replay.send_multipart([b"", (0).to_bytes(8, "big")])
while replay.poll(10_000):
    _, number, payload = replay.recv_multipart()
    if int.from_bytes(number, "big", signed=True) == END:
        break
    apply(int.from_bytes(number, "big"), payload)
past = len(numbers)
print("ready", flush=True)
while live.poll(2000):
    topic, number, payload = live.recv_multipart()
    apply(int.from_bytes(number, "big"), payload)
assert numbers == list(range(len(numbers)))
print(json.dumps({"past": past, "live": len(numbers) - past, "blocks": len(blocks), "removed": removed}))
