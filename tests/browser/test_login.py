"""The login of a browser: which server gets it, which tabs have it, and how it ends."""

import http.server
import socket
import threading

from harness import kill_door, wait_for


class Impostor:
    """A program that takes the engine's port and notes whatever it is sent."""

    def __init__(self, port, status):
        self.seen = []
        seen = self.seen

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                seen.append(f"{self.requestline}\n{self.headers}\n{body.decode(errors='replace')}")
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            do_GET = do_POST = do_DELETE = do_PATCH = do_PUT = do_OPTIONS = answer

            def log_message(self, *_):
                pass

            def setup(self):
                super().setup()
                accepted.append(self.connection)

        self.accepted = accepted = []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def leave_port(self):
        """Keeps what it has accepted: browsers use these connections again."""
        self.server.shutdown()
        self.server.socket.close()

    def close(self):
        self.leave_port()
        for connection in self.accepted:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the browser was faster
            connection.close()



def shows_login(page):
    page.get_by_role("heading", name="Log in to Muster").wait_for()
    page.get_by_text("muster console", exact=True).wait_for()


def token_of(page):
    return page.evaluate("JSON.parse(sessionStorage.getItem('muster-login')).token")


def status_with(page, token):
    return page.evaluate("token => fetch('/api/v1/namespaces', { headers: { Authorization: `Bearer ${token}` } }).then(r => r.status)", token)


def test_an_impostor_at_the_port_gets_no_token(console, engine):
    tab = console("jobs")
    second = tab.context.new_page()
    second.goto(f"http://127.0.0.1:{engine.port}/console/nodes")
    second.wait_for_selector("header.top")
    token = token_of(tab.page)
    assert token.startswith("console.") and token_of(second) != ""
    engine.kill()
    kill_door(engine.data)
    impostor = Impostor(engine.port, 200)
    try:
        for page in (tab.page, second):
            page.get_by_role("heading", name="Another program answers at this address").wait_for()
            page.get_by_text("Your login was not sent.").wait_for()
        asked = len(impostor.seen)
        wait_for("the tabs to ask again", lambda: len(impostor.seen) >= asked + 2)
        sent = "\n".join(impostor.seen)
        assert all(seen.startswith("GET /console/proof?nonce=") for seen in impostor.seen), sent
        for secret in ("console.", "authorization", "bearer", "cookie", "sec-websocket"):
            assert secret not in sent.lower().replace("/console/proof", ""), secret
        assert token_of(tab.page).startswith("console.")
        impostor.leave_port()
        engine.start()
        proof = f"http://127.0.0.1:{engine.port}/console/proof?nonce={'ab' * 16}"
        assert "another program still has connections" in engine.run(["curl", "-s", proof]).stdout
    finally:
        impostor.close()
        if engine.process.poll() is not None:
            engine.start()
    for page in (tab.page, second):
        page.wait_for_selector("header.top")  # it continues where it was
    assert "/console/jobs" in tab.page.url and "/console/nodes" in second.url
    assert status_with(tab.page, token_of(tab.page)) == 200


def test_a_server_that_is_starting_is_waited_for(console, engine):
    tab = console("jobs")
    engine.kill()
    kill_door(engine.data)
    starting = Impostor(engine.port, 503)
    try:
        wait_for("the tab to ask", lambda: len(starting.seen) >= 2)
        tab.page.get_by_text("Reconnecting").wait_for()
        assert "console." not in "\n".join(starting.seen).lower().replace("/console/proof", "")
    finally:
        starting.close()
        engine.start()
    tab.page.locator(".connection.live").wait_for()


def test_an_engine_elsewhere_cannot_be_relayed(console, engine):
    """A program at another port that passes the question on gets a signature for the engine's own origin at best."""
    tab = console("jobs")
    nonce = "ab" * 16
    for host, status in ((f"127.0.0.1:{engine.port}", 200), ("127.0.0.1:1", 403), (f"localhost:{engine.port}", 403)):
        answer = engine.run(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", f"Host: {host}",
                             f"http://127.0.0.1:{engine.port}/console/proof?nonce={nonce}"])
        assert answer.stdout == str(status), host
    page = tab.context.new_page()
    page.goto(f"http://localhost:{engine.port}/console/jobs?ns=default")
    page.wait_for_url(f"http://127.0.0.1:{engine.port}/console/jobs?ns=default")
    page.wait_for_selector("header.top")


def test_a_link_in_a_new_tab_keeps_its_address_and_is_logged_in(console, engine):
    tab = console("jobs")
    page = tab.context.new_page()
    address = f"http://127.0.0.1:{engine.port}/console/pods?ns=kube-system"
    page.goto(address)
    page.wait_for_selector("header.top")
    assert page.url == address
    page.get_by_role("heading", name="Log in to Muster").wait_for(state="detached")
    page.close()
    stranger = console("jobs").context.browser.new_context()
    alone = stranger.new_page()
    alone.goto(address)
    shows_login(alone)
    stranger.close()


def test_logging_out_ends_every_tab_for_good(console, engine):
    tab = console("jobs")
    context = tab.context
    second = context.new_page()
    second.goto(f"http://127.0.0.1:{engine.port}/console/nodes")
    second.wait_for_selector("header.top")
    tokens = [token_of(tab.page), token_of(second)]
    second.get_by_role("button", name="Log out").click()
    for page in (tab.page, second):
        shows_login(page)
        page.get_by_text("You are logged out, or the login has expired.").wait_for()
    wait_for("the tokens to be refused", lambda: all(status_with(second, token) == 401 for token in tokens))
    engine.kill()
    engine.start()
    assert all(status_with(second, token) == 401 for token in tokens)
    third = context.new_page()
    third.goto(f"http://127.0.0.1:{engine.port}/console/jobs")
    shows_login(third)


def test_logging_out_while_the_engine_is_away_says_so(console, engine):
    tab = console("jobs")
    engine.kill()
    try:
        tab.page.get_by_role("button", name="Log out").click()
        tab.page.get_by_text("The server did not answer; there the login ends within twelve hours.").wait_for()
    finally:
        engine.start()
