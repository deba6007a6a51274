"""A program that stands in for TensorBoard, so that tests of what is around it need no packages: it answers with its arguments."""

# The image `fake` has it; any other is an environment without TensorBoard.
CONFIG = "environments:\n- {image: 'fake', host: true, env: {PYTHONPATH: /pvc-logs}}\n"

SERVER = '''
import argparse, http.server
parser = argparse.ArgumentParser()
parser.add_argument("--host"); parser.add_argument("--port", type=int); parser.add_argument("--path_prefix")
options, rest = parser.parse_known_args()
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = (self.path + " " + " ".join(rest)).encode()
        self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers(); self.wfile.write(body)
http.server.HTTPServer((options.host, options.port), Handler).serve_forever()
'''


def install(engine, logged=True):
    """Puts it on the volume `logs`, where an engine with this configuration finds it, and an event file into its folder `run`."""
    volume = engine.volume("logs")
    if logged:
        (volume / "run").mkdir()
        (volume / "run" / "events.out.tfevents.1.host.1.0").touch()
    write_program(volume)


def write_program(folder):
    """Puts it into a folder of PYTHONPATH."""
    module = folder / "tensorboard"
    module.mkdir()
    (module / "__init__.py").write_text("")
    (module / "main.py").write_text(SERVER)
