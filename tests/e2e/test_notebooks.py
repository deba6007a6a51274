"""Notebooks: a real JupyterLab behind the proxy, with kernels and terminals over its WebSockets, from start to deletion."""

import base64
import subprocess
import urllib.error
import urllib.request
import uuid

import pytest
from harness import Engine, wait_for
from page import Page, WebSocket
from tutorials import check_networks, configured, prepare, skip_without_jupyterlab


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    skip_without_jupyterlab()
    made = Engine(tmp_path_factory.mktemp("notebooks"), config=configured({}) + "- {image: bare, host: true}\n").start()
    check_networks(made)
    prepare(MUSTER_DATA_DIR=str(made.data))
    # JupyterLab looks once a minute whether it is idle, so this one starts first and is looked at last.
    made.apply(notebook("forgotten", stopAfterIdleSeconds=1))
    yield made
    made.stop()


def notebook(name, image="any-notebook", claim="mnist", **spec):
    container = {"name": "notebook", "image": image, "volumeMounts": [{"name": "home", "mountPath": "/t9k/mnt"}]}
    template = {"spec": {"containers": [container], "volumes": [{"name": "home", "persistentVolumeClaim": {"claimName": claim}}]}}
    return {"apiVersion": "tensorstack.dev/v1beta1", "kind": "Notebook", "metadata": {"name": name}, "spec": {"template": template, **spec}}


@pytest.fixture(scope="module")
def page(engine):
    engine.wait_phase("mnist", "Running", kind="notebook")
    return Page(engine, "notebook", "mnist")


def condition(shown, kind):
    return next(one for one in shown["status"]["conditions"] if one["type"] == kind)


def fails_with(status, request):
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=30)
    assert refused.value.code == status
    return refused.value.read().decode()


def test_its_page_shows_the_files_of_the_claim_and_takes_large_ones(engine, page):
    assert page.url == engine.get("notebook", "mnist")["status"]["url"]
    assert [file["name"] for file in page.json("api/contents")["content"]] == ["data"], "the script of tutorial 003 is left to the reader"
    text = "x" * (5 << 20)
    page.request("PUT", "api/contents/large.txt", {"type": "file", "format": "text", "content": text})
    assert (engine.data / "volumes" / "default" / "mnist" / "large.txt").read_text() == text
    assert page.json("api/contents/large.txt?content=1")["content"] == text


def test_a_kernel_computes(page):
    kernel = page.request("POST", "api/kernels", {"name": "python3"})["id"]
    channels = page.web_socket(f"api/kernels/{kernel}/channels")
    assert channels.status == 101
    header = {"msg_id": uuid.uuid4().hex, "session": uuid.uuid4().hex, "username": "", "date": "", "msg_type": "execute_request", "version": "5.3"}
    channels.send({"channel": "shell", "header": header, "parent_header": {}, "metadata": {}, "buffers": [],
                   "content": {"code": "1+1", "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}})
    result = channels.receive_until(lambda message: message["msg_type"] in ("execute_result", "error"))
    assert result["content"]["data"] == {"text/plain": "2"}
    channels.close()
    page.request("DELETE", f"api/kernels/{kernel}")


# The second is our own binary, which a pod finds last in its PATH where the machine has no kubectl.
@pytest.mark.parametrize("kubectl", ["kubectl", "/run/muster/bin/kubectl"])
def test_kubectl_works_in_a_terminal(page, kubectl):
    name = page.request("POST", "api/terminals", {})["name"]
    terminal = page.web_socket(f"terminals/websocket/{name}")
    assert terminal.status == 101
    said = ""
    terminal.send(["stdin", f"pwd; command -v kubectl && {kubectl} get pods -o name; echo code=$?\r"])
    while "code=0" not in said:
        assert "code=1" not in said, said
        kind, *words = terminal.receive()
        said += words[0] if kind == "stdout" else ""
    assert "/t9k/mnt" in said and "pod/mnist-nb-" in said
    terminal.close()
    page.request("DELETE", f"api/terminals/{name}")


def test_only_the_proxy_has_the_token(engine, page):
    token = base64.b64decode(engine.get("secret", "mnist-nb")["data"]["token"]).decode()
    pod = engine.get("notebook", "mnist")["status"]["pod"]["reference"]["name"]
    places = [engine.muster("get", "notebook", "mnist", "-o", "yaml").stdout, engine.muster("get", "pod", pod, "-o", "yaml").stdout,
              engine.muster("get", "events").stdout, engine.muster("logs", pod).stdout, engine.log(),
              subprocess.run(["ps", "axww"], stdout=subprocess.PIPE, text=True, check=True).stdout,
              urllib.request.urlopen(urllib.request.Request(page.url + "lab", headers=owner(engine)), timeout=30).read().decode()]
    home = engine.data / "volumes" / "default" / "mnist"
    places += [file.read_text(errors="replace") for file in home.rglob("*") if file.is_file() and "data" not in file.relative_to(home).parts]
    assert len(token) >= 32 and all(token not in place for place in places)
    assert {cookie.name for cookie in page.cookies} == {"muster-page"}


def owner(engine):
    return {"Authorization": "Bearer " + (engine.data / "token").read_text().strip()}


def test_strangers_other_sites_and_accounts_are_refused(engine, page):
    files = page.url + "api/contents"
    assert "log in with a link from `muster notebook mnist -n default`" in fails_with(401, files)
    assert "already used" in fails_with(403, page.link)
    fails_with(403, urllib.request.Request(files, headers={**owner(engine), "Host": "evil.example"}))
    fails_with(403, urllib.request.Request(files, headers={**owner(engine), "Origin": "https://evil.example"}))
    assert WebSocket(page.url + "terminals/websocket/1", {}).status == 401
    assert page.web_socket("terminals/websocket/1", Origin="https://evil.example").status == 403
    other = Page.__new__(Page)
    other.url, other.cookies = page.url.replace("/mnist/", "/forgotten/"), page.cookies
    assert other.web_socket("api/events/subscribe").status == 401, "a cookie opens one page"
    # The account of a pod in another namespace neither sees the page nor gets a link to it.
    engine.muster("create", "namespace", "elsewhere")
    reads = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "reads", "namespace": "elsewhere"},
             "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "host", "command": [
                 "sh", "-c", "cat /var/run/secrets/kubernetes.io/serviceaccount/token; sleep 1000"]}]}}
    wait_for("the account", lambda: engine.muster("get", "serviceaccount", "default", "-n", "elsewhere", check=False).returncode == 0)
    engine.apply(reads)
    account = wait_for("its token", lambda: engine.muster("logs", "reads", "-n", "elsewhere", check=False).stdout)
    bearer = {"Authorization": f"Bearer {account}"}
    fails_with(401, urllib.request.Request(files, headers=bearer))
    link = f"http://127.0.0.1:{engine.port}/apis/muster.dev/v1/namespaces/default/notebooks/mnist/link"
    assert "forbidden" in fails_with(403, urllib.request.Request(link, data=b"{}", headers=bearer))


def test_an_environment_without_jupyterlab_is_named(engine):
    engine.apply(notebook("bare", image="bare"))
    shown = engine.wait_phase("bare", "Failed", kind="notebook")
    sentence = "there is no JupyterLab in this environment; pip install jupyterlab there, or choose another image"
    assert condition(shown, "Ready")["message"] == sentence
    assert sentence in engine.muster("describe", "notebook", "bare").stdout, "an event also says so"
    # It is tried again now and then, and looks well until JupyterLab is found to be missing again.
    wait_for("the refusal", lambda: sentence in engine.muster("notebook", "bare", check=False).stderr)
    assert sentence in fails_with(503, urllib.request.Request(shown["status"]["url"], headers=owner(engine)))
    engine.muster("delete", "notebook", "bare")


def test_it_stops_resumes_and_leaves_nothing_but_its_files(engine, page):
    engine.muster("patch", "notebook", "mnist", "-p", '{"spec":{"suspend":true}}')
    wait_for("no pod", lambda: "pod" not in engine.wait_phase("mnist", "Suspended", kind="notebook")["status"])
    assert "is Suspended" in fails_with(503, urllib.request.Request(page.url, headers=owner(engine)))
    again = Page(engine, "notebook", "mnist")
    assert "large.txt" in [file["name"] for file in again.json("api/contents")["content"]]
    engine.muster("delete", "notebook", "mnist")
    wait_for("its children to go", lambda: "mnist-nb" not in engine.muster("get", "deployments,services,secrets,pods").stdout)
    assert (engine.data / "volumes" / "default" / "mnist" / "large.txt").exists()


def test_an_idle_one_stops_by_itself_is_resumed_by_the_command_and_shut_down_from_its_menu(engine):
    shown = engine.wait_phase("forgotten", "Suspended", kind="notebook", timeout=240)
    assert condition(shown, "Idle")["status"] == "True"
    assert condition(shown, "Idle")["message"].startswith("JupyterLab was idle for 1 s")
    wait_for("the spec to say so", lambda: engine.get("notebook", "forgotten")["spec"].get("suspend"))
    wait_for("no pod", lambda: "forgotten-nb" not in engine.muster("get", "pods").stdout)
    page = Page(engine, "notebook", "forgotten")
    resumed = engine.get("notebook", "forgotten")
    assert resumed["spec"]["suspend"] is False and condition(resumed, "Idle")["status"] == "False"
    page.request("POST", "api/shutdown")  # File > Shut Down
    engine.wait_phase("forgotten", "Suspended", kind="notebook")
