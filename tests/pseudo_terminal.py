"""A command on a terminal of its own."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time


class OnTerminal:
    """Runs the command as the user of a terminal does; `seen` is what the screen has shown."""

    def __init__(self, command, env, rows=33, columns=77, cwd=None):
        self.master, slave = pty.openpty()
        self.resize(rows, columns)
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.seen = ""
        self.process = subprocess.Popen([str(c) for c in command], env=env, cwd=cwd, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text):
        os.write(self.master, text.encode())

    def read(self):
        """Adds to `seen` what has arrived."""
        while select.select([self.master], [], [], 0)[0]:
            self.seen += os.read(self.master, 65536).decode(errors="replace")
        return self.seen

    def wait(self, timeout=30.0):
        """Returns the exit code; reads on, so that the command never waits for its screen."""
        end = time.monotonic() + timeout
        while self.process.poll() is None:
            assert time.monotonic() < end, f"still running; seen: {self.seen}"
            select.select([self.master], [], [], 0.05)
            self.read()
        self.read()
        return self.process.returncode

    def is_restored(self):
        return termios.tcgetattr(self.slave) == self.before

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)
