"""The lines that measures print."""


def line(name, ours, peer, goal, unit, better):
    """Prints one line; `better` is 'more' or 'less', the direction of a good ratio."""
    if peer is None:
        print(f"{name} ours={ours:.4g}{unit} peer=absent", flush=True)
        return
    ratio = ours / peer
    reached = ratio >= goal if better == "more" else ratio <= goal
    print(f"{name} ours={ours:.4g}{unit} peer={peer:.4g}{unit} ratio={ratio:.3g} goal={'>=' if better == 'more' else '<='}{goal}"
          f" {'ok' if reached else 'short'}", flush=True)


def bound(name, ours, goal, unit, peer=None):
    """Prints a measure against a limit instead of a peer, with the peer's value if there is one."""
    compared = f" peer={peer:.4g}{unit} ratio={ours / peer:.3g}" if peer else ""
    print(f"{name} ours={ours:.4g}{unit}{compared} goal=<={goal}{unit} {'ok' if ours <= goal else 'short'}", flush=True)
