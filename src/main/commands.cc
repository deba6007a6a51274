#include "main/commands.h"

namespace muster {
namespace {

using cli::Server;

constexpr cli::Entry kEngineCommands[] = {
    {"up", "start the engine in the background",
     "muster up [--at-login] [--listen HOST:PORT] [--config FILE] [--data-dir DIR]",
     "  muster up\n"
     "  muster up --at-login                   also at every boot of this machine\n"
     "  muster up --listen 0.0.0.0             also for other machines\n"
     "  muster up --data-dir /tmp/try          a separate engine with its own objects\n",
     make_up, Server::kNone,
     "Returns when the engine answers and prints its address. A running engine is left\n"
     "alone. The log is DIR/engine.log. Without --listen the engine uses the address\n"
     "in DIR/config.yaml (listen), else its last address, else 127.0.0.1:8765, or the\n"
     "next free port if somebody has that one. --at-login writes a unit of systemd: a\n"
     "user's, with lingering, or root's for the system; down --purge removes it.\n",
     0},
    {"down", "stop the engine; jobs keep running unless --stop-jobs is given",
     "muster down [--stop-jobs | --purge [--yes]] [--data-dir DIR]",
     "  muster down                            the next muster up adopts the jobs\n"
     "  muster down --stop-jobs                the next muster up starts them again\n"
     "  muster down --purge                    remove everything, volumes included\n",
     make_down, Server::kNone,
     "--stop-jobs and --purge end the processes of jobs whether an engine runs or not.\n"
     "--stop-jobs does not count as a failure of the jobs. On a terminal --purge asks\n"
     "first, unless --yes is given. The port stays taken for as long as jobs run, so\n"
     "that none of them can listen there.\n",
     0, true},
    {"status",
     "show the engine's address and its jobs",
     "muster status [--data-dir DIR]",
     "  muster status                          exit code 0: running, 6: not running\n",
     make_status,
     Server::kNone,
     {},
     0},
    {"console", "open the web console", "muster console [--no-open] [--port N] [--kubeconfig FILE | --context NAME]",
     "  muster console                         print a link and open it on a desktop\n"
     "  muster console --kubeconfig FILE       for a cluster: serves until Ctrl-C\n",
     make_console, Server::kOptional,
     "The link logs one browser tab in, once, within five minutes. The login lasts as\n"
     "long as the tab, and at most twelve hours without use. From another machine,\n"
     "forward both ports: ssh -L 8765:127.0.0.1:8765 -L 8766:127.0.0.1:8766 HOST\n"
     "The second one serves TensorBoards and notebooks.\n"
     "The browser never sees the credentials of the kubeconfig of a cluster.\n",
     0},
    {"serve", "run the engine in the foreground", "muster serve [--listen HOST:PORT] [--config FILE] [--data-dir DIR]",
     "  muster serve\n"
     "  muster serve --listen 127.0.0.1:0      a free port; \"ready URL\" names it\n",
     make_serve, Server::kNone,
     "For systemd and containers. Prints \"ready URL\" when it answers; logs to stderr.\n"
     "SIGTERM and Ctrl-C stop it; pods keep running. Another process keeps its ports\n"
     "while it is away; with systemd's socket activation, systemd does.\n",
     0},
    {"operator", "run the controllers for a Kubernetes cluster in the foreground",
     "muster operator [--kubeconfig FILE | --context NAME] [--kinds LIST]",
     "  muster operator --kubeconfig ~/.kube/config\n"
     "  muster operator --kinds pytorchjobs,tfjobs         only these\n"
     "  muster operator --kinds pytorchjobs=on,crons=off   the others: auto\n"
     "  muster operator                        in a pod: uses its service account\n",
     make_operator, Server::kNeeded,
     "Runs the same controllers as the engine, for those kinds of `muster crds` that\n"
     "the cluster serves. Prints \"ready\" when it has seen all objects and logs to\n"
     "stderr. SIGTERM and Ctrl-C stop it; jobs keep running. It waits for an absent\n"
     "API server and for a kind to run.\n"
     "Of several operators in pods one acts: the one that holds the Lease\n"
     "muster-operator. Outside a pod there is no election unless --leader-elect is\n"
     "given.\n"
     "A kind is auto, on or off. auto leaves it to Kubeflow's operator while that one\n"
     "is alive; on and auto leave alone each object whose status another controller\n"
     "writes.\n",
     0},
    {"backup", "copy the engine's database to a file, running or not",
     "muster backup [FILE] [--force] [--data-dir DIR]",
     "  muster backup                          ./muster-20261116T010203Z.db\n"
     "  muster backup /mnt/nas/muster.db\n"
     "  muster backup --force latest.db        overwrite an older one\n",
     make_backup, Server::kNone,
     "Every row of the copy is checked before FILE appears. The copy has every object,\n"
     "Secrets included, but no volumes and no logs.\n",
     1},
    {"restore", "replace the database with a backup", "muster restore FILE [--data-dir DIR]",
     "  muster restore /mnt/nas/muster.db\n", make_restore, Server::kNone,
     "Stop the engine first (muster down). FILE comes from muster backup or is one of\n"
     "the engine's own snapshots in DIR/store/snapshots. The old database is kept next\n"
     "to the new one. Revisions continue above all that clients have seen, so every\n"
     "watch starts again.\n",
     1, true},
    {"doctor", "check this machine and say how to fix problems", "muster doctor [--data-dir DIR]",
     "  muster doctor                          exit code 1 if something is wrong\n", make_doctor, Server::kNone,
     "Checks the engine, its folder and disk usage, its configuration, Python and\n"
     "PyTorch, the sandbox, the port and the clock. Changes nothing.\n",
     0},
};

}  // namespace

std::span<const cli::Entry> engine_commands() {
  return kEngineCommands;
}

}  // namespace muster
