#!/usr/bin/env python3
"""Checks that the controllers, the command lines, the routes and the console do not read the spec or the status of a job
themselves: they ask jobs/summary.h. Code that writes manifests is listed here. Prints every violation."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Members that only jobs have. `restartCount` and `conditions` are left out, because pods have them as well.
MEMBERS = ("replicaSpecs", "pytorchReplicaSpecs", "tfReplicaSpecs", "mpiReplicaSpecs", "replicaStatuses", "runMode",
           "runPolicy", "elastic", "elasticPolicy", "expectedReplicas", "torchrunConfig", "nprocPerNode", "backoffCount",
           "t9kScheduler", "launcherStatus")
IN_CPP = re.compile(r'"(?:spec\.|status\.)?(%s)"' % "|".join(MEMBERS))
IN_TYPESCRIPT = re.compile(r"""(?<!summary)(?<!summaryOf\(job\))(?:\.|\[["'])(%s)\b""" % "|".join(MEMBERS))
# They write jobs, or show how to write one.
WRITERS = {
    "src/arena/jobs/job_types.cc": "the member that `arena submit` writes its roles to",
    "src/arena/submit/objects.cc": "`arena submit`",
    "src/arena/submit/cron_object.cc": "`arena cron`",
    "src/cli/run/job.cc": "`muster run`",
    "src/cli/run/ran_job.cc": "adds mounts to what `muster run` wrote",
    "console/src/lib/yamlPlace.ts": "an example in a comment",
    "src/arena/requests/find_jobs.cc": "asks for these members, for jobs::summarise to read",
}
WRITER_FOLDERS = ("console/src/features/create/",)
FOLDERS = ["src/control", "src/cli", "src/arena", "src/web", "src/main", "console/src"]


def is_checked(name):
    is_test = name.endswith(("_test.cc", ".test.ts", ".test.tsx", "_for_tests.cc"))
    return not is_test and name not in WRITERS and not name.startswith(WRITER_FOLDERS)


def violations():
    for folder in FOLDERS:
        pattern = IN_CPP if folder.startswith("src/") else IN_TYPESCRIPT
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix not in (".cc", ".h", ".ts", ".tsx") or not is_checked(name):
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if found := pattern.search(line):
                    yield f"{name}:{number}: reads {found.group(1)} of a job; ask jobs/summary.h instead"


def main():
    unused = [name for name in WRITERS if not (ROOT / name).exists()]
    found = [*violations(), *(f"tools/check_job_readers.py: {name} is gone; remove it from WRITERS" for name in unused)]
    print("\n".join(found) or "only src/jobs reads jobs")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
