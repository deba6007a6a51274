"""Writes event files for TensorBoard without its package. Tests use it, and so do the scripts of their jobs."""

import os
import socket
import struct
import time


def masked_crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def scalar_event(step, tag, value):
    """A record of TensorBoard's event files with one value."""
    def member(number, data):
        return bytes([number << 3 | 2, len(data)]) + data
    summary = member(1, member(1, tag.encode()) + b"\x15" + struct.pack("<f", value))
    event = b"\x09" + struct.pack("<d", time.time()) + bytes([0x10, step]) + member(5, summary)
    length = struct.pack("<Q", len(event))
    return length + struct.pack("<I", masked_crc32c(length)) + event + struct.pack("<I", masked_crc32c(event))


class SummaryWriter:
    """Writes where torch.utils.tensorboard does by default, and names folder and file as that does."""

    def __init__(self):
        host = socket.gethostname()
        folder = f"runs/{time.strftime('%b%d_%H-%M-%S')}_{host}"
        os.makedirs(folder, exist_ok=True)
        self.path = f"{folder}/events.out.tfevents.{int(time.time()):010d}.{host}.{os.getpid()}.0"

    def add_scalar(self, tag, value, step):
        with open(self.path, "ab") as file:
            file.write(scalar_event(step, tag, value))
