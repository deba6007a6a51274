import { describe, expect, it, vi } from "vitest";

vi.stubGlobal("sessionStorage", { getItem: () => "" });
const { Items } = await import("./collection");

const pod = (name: string, revision: string) => ({ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "d", resourceVersion: revision } });
const bookmark = (revision: string, end: boolean) => ({
  type: "BOOKMARK" as const,
  object: { apiVersion: "v1", kind: "Pod", metadata: { resourceVersion: revision, ...(end ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}) } },
});

describe("a watched collection", () => {
  it("is complete after the initial events, and follows later ones", () => {
    const items = new Items();
    items.beginAnew();
    items.apply({ type: "ADDED", object: pod("a", "3") });
    expect(items.isComplete).toBe(false);
    expect(items.snapshot().size).toBe(0);
    items.apply(bookmark("5", true));
    expect([...items.snapshot().keys()]).toEqual(["Pod/d/a"]);
    items.apply({ type: "ADDED", object: pod("b", "6") });
    items.apply({ type: "DELETED", object: pod("a", "7") });
    expect([...items.snapshot().keys()]).toEqual(["Pod/d/b"]);
    expect(items.revision).toBe("7");
  });

  it("keeps what it shows until a new list is complete", () => {
    const items = new Items();
    items.beginAnew();
    items.apply({ type: "ADDED", object: pod("a", "3") });
    items.apply(bookmark("3", true));
    items.beginAnew();
    expect(items.revision).toBe("");
    expect(items.snapshot().size).toBe(1);
    items.apply(bookmark("9", true));
    expect(items.snapshot().size).toBe(0);
  });

  it("begins with the pages of a list where a watch cannot", () => {
    const items = new Items();
    items.beginAnew();
    const item = (name: string) => ({ metadata: { name, namespace: "d" } }) as never;
    items.takePage({ apiVersion: "v1", kind: "PodList", metadata: { resourceVersion: "9", continue: "more" }, items: [item("a")] });
    expect(items.isComplete).toBe(false);
    items.takePage({ apiVersion: "v1", kind: "PodList", metadata: { resourceVersion: "9" }, items: [item("b")] });
    expect([...items.snapshot().keys()]).toEqual(["Pod/d/a", "Pod/d/b"]);
    expect(items.revision).toBe("9");
    items.apply({ type: "DELETED", object: pod("a", "10") });
    expect([...items.snapshot().keys()]).toEqual(["Pod/d/b"]);
  });

  it("reports the server's error", () => {
    const error = new Items().apply({ type: "ERROR", object: { apiVersion: "v1", kind: "Status", code: 410, message: "too old" } as never });
    expect(error?.code).toBe(410);
    expect(error?.message).toBe("too old");
  });
});
