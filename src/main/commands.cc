#include "main/commands.h"

namespace muster {
namespace {

using cli::Server;

constexpr cli::Entry kEngineCommands[] = {
    {"up", "start the engine in the background", "muster up [--listen HOST:PORT] [--config FILE] [--data-dir DIR]",
     "  muster up\n"
     "  muster up --listen 0.0.0.0:8765        for other machines too\n"
     "  muster up --data-dir /tmp/try          an engine of its own, with its own objects\n",
     make_up, Server::kNone,
     "Returns when the engine answers, and says where it is. One that runs already is left alone. Its log is\n"
     "DIR/engine.log. Without --listen the engine serves where DIR/config.yaml says (listen), else where it served\n"
     "last, else on 127.0.0.1:8765.\n",
     0},
    {"down", "stop it; jobs go on unless --stop-jobs", "muster down [--stop-jobs | --purge [--yes]] [--data-dir DIR]",
     "  muster down                            jobs go on, and the next muster up finds them again\n"
     "  muster down --stop-jobs                their processes end, and the next muster up starts them again\n"
     "  muster down --purge                    nothing is left, volumes included\n",
     make_down, Server::kNone,
     "--stop-jobs and --purge end processes whether an engine runs or not. What --stop-jobs ends is not counted as a\n"
     "failure of the job. On a terminal --purge asks first; elsewhere, and with --yes, it does not.\n",
     0, true},
    {"status",
     "where the engine is and what it runs",
     "muster status [--data-dir DIR]",
     "  muster status                          exit code 0 when it runs, 6 when it does not\n",
     make_status,
     Server::kNone,
     {},
     0},
    {"console", "open the web console", "muster console [--no-open] [--port N] [--kubeconfig FILE | --context NAME]",
     "  muster console                         prints a link and opens it where there is a desktop\n"
     "  muster console --kubeconfig FILE       of a cluster: served here until Ctrl-C\n",
     make_console, Server::kOptional,
     "The link logs one browser in, once, within five minutes. The login lasts as long as the browser's tab, and "
     "twelve\n"
     "hours without use at most. From another machine, forward the port: ssh -L 8765:127.0.0.1:8765 HOST\n"
     "The browser of a cluster's console never sees the credentials of the kubeconfig.\n",
     0},
    {"serve", "the engine in the foreground",
     "muster serve [--listen HOST:PORT] [--config FILE] [--data-dir DIR] [--accept-data-loss]",
     "  muster serve\n"
     "  muster serve --listen 127.0.0.1:0      a free port; the line \"ready URL\" says which\n",
     make_serve, Server::kNone,
     "For systemd and containers. Prints \"ready URL\" when it answers and logs to stderr; SIGTERM and Ctrl-C stop "
     "it,\n"
     "pods go on.\n",
     0},
    {"operator", "run jobs on a Kubernetes cluster, in the foreground",
     "muster operator --kubeconfig FILE | --context NAME",
     "  muster operator --kubeconfig ~/.kube/config\n"
     "  muster operator                        in a pod: with its service account\n",
     make_operator, Server::kNeeded,
     "The same controllers that the engine runs, for the kinds that `muster crds` prints. Prints \"ready\" when it "
     "has\n"
     "seen all objects and logs to stderr; SIGTERM and Ctrl-C stop it, jobs go on.\n",
     0},
    {"backup", "copy the engine's database into a file, while it runs or not",
     "muster backup [FILE] [--force] [--data-dir DIR]",
     "  muster backup                          ./muster-20261116T010203Z.db\n"
     "  muster backup /mnt/nas/muster.db\n"
     "  muster backup --force latest.db        in the place of an older one\n",
     make_backup, Server::kNone,
     "The copy is checked row by row before it gets its name. It holds every object, Secrets included; volumes and\n"
     "logs are not in it.\n",
     1},
    {"restore", "put such a copy in the place of the database", "muster restore FILE [--data-dir DIR]",
     "  muster restore /mnt/nas/muster.db\n", make_restore, Server::kNone,
     "The engine must be stopped (muster down). FILE comes from muster backup, or is one of the snapshots that the\n"
     "engine makes by itself in DIR/store/snapshots. The old database is kept beside the new one. Revisions go on "
     "from\n"
     "beyond all that clients have seen, so that every watch starts anew.\n",
     1, true},
    {"doctor", "check this machine, and say how to fix what is wrong", "muster doctor [--data-dir DIR]",
     "  muster doctor                          exit code 1 when something is wrong\n", make_doctor, Server::kNone,
     "Looks at the engine, its folder and what takes space there, its configuration, Python and PyTorch, the sandbox,\n"
     "the port and the clock. Changes nothing.\n",
     0},
};

}  // namespace

std::span<const cli::Entry> engine_commands() {
  return kEngineCommands;
}

}  // namespace muster
