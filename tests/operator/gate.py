"""A way to a server that can be closed and opened: closed, nobody listens, and the connections through it are broken."""

import socket
import threading


class Gate:
    def __init__(self, host, port):
        self.target = (host, port)
        self.listener = None
        self.open_sockets = set()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]

    def open(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for one in list(self.open_sockets):
            end_connection(one)

    def accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.create_connection(self.target)
            for source, sink in ((client, server), (server, client)):
                self.open_sockets.add(source)
                threading.Thread(target=self.pass_on, args=(source, sink), daemon=True).start()

    def pass_on(self, source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        end_connection(source)
        end_connection(sink)
        self.open_sockets.discard(source)


def end_connection(one):
    try:
        one.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # it is closed already
