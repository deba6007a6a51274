#include "cli/command_table.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"

namespace muster::cli {

namespace {

constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

constexpr Entry kCommands[] = {
    {"apply", "make objects as files say: create them, or change what differs", "muster apply -f FILE [-n NAMESPACE]",
     "  muster apply -f job.yaml\n"
     "  muster apply -f manifests/             every .yaml, .yml and .json in the folder\n"
     "  cat job.yaml | muster apply -f -\n",
     make_apply, Server::kStarted},
    {"create", "make new objects from files, or a namespace", "muster create -f FILE [-n NAMESPACE] | namespace NAME",
     "  muster create -f job.yaml\n"
     "  muster create namespace team\n"
     "  muster create -f job.yaml --dry-run=server -o yaml     what it would become\n",
     make_create, Server::kStarted},
    {"get", "list objects, or print them", "muster get TYPE[,TYPE…] [NAME…] [-o FORMAT] [-w]",
     "  muster get jobs                        of all kinds, with what they wait for or why they failed\n"
     "  muster get jobs -w                     and go on: a row for each change\n"
     "  muster get pj                          PyTorchTrainingJobs\n"
     "  muster get pods,pj -A                  in all namespaces\n"
     "  muster get pj mnist -o yaml\n"
     "  muster get pods -l tensorstack.dev/owner-name=mnist -w\n"
     "  muster get pj mnist -o jsonpath='{.status.phase}'\n",
     make_get},
    {"describe", "what an object is doing and why, with its events", "muster describe TYPE NAME",
     "  muster describe pj mnist\n"
     "  muster describe pod/mnist-worker-0\n",
     make_describe},
    {"logs", "print the logs of a pod or of a whole job", "muster logs POD | JOB | TYPE/NAME | -l SELECTOR [-f]",
     "  muster logs -f mnist                   all replicas until the job ends; exit code 1 if it failed\n"
     "  muster logs mnist-worker-0 --tail=20\n"
     "  muster logs mnist-worker-0 --previous  of the run before the last restart\n"
     "  muster logs mnist-worker-0 --attempt=0 of the first attempt, even when the job is gone\n",
     make_logs},
    {"run", "make a job of a script in this folder, and follow it",
     "muster run [--ranks N] [--gpus N] SCRIPT [ARGUMENTS…]",
     "  muster run train.py --epochs 3         the flags after the script are the script's own\n"
     "  muster run --ranks 4 train.py          four processes with RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT\n"
     "  muster run --gpus 1 -d train.py        with a GPU, in the background\n",
     make_run, Server::kStarted,
     "The job sees this folder, at its own path, and an active virtual environment. Ctrl-C ends the following, not "
     "the\n"
     "job.\n"},
    {"pause", "stop a job's ranks and free what they use, until it is resumed", "muster pause JOB",
     "  muster pause mnist\n", make_pause, Server::kNeeded,
     "The ranks start anew when the job is resumed; a script that writes checkpoints goes on from the last one.\n", 2},
    {"resume",
     "start a paused job again",
     "muster resume JOB",
     "  muster resume mnist\n",
     make_resume,
     Server::kNeeded,
     {},
     2},
    {"stop",
     "end a job for good; its logs and objects stay",
     "muster stop JOB",
     "  muster stop mnist\n",
     make_stop,
     Server::kNeeded,
     {},
     2,
     true},
    {"rerun",
     "make a new job like an existing one",
     "muster rerun JOB [--name NAME]",
     "  muster rerun mnist                     makes mnist-2\n",
     make_rerun,
     Server::kNeeded,
     {},
     2},
    {"scale",
     "change how many workers an elastic job has",
     "muster scale JOB REPLICAS",
     "  muster scale mnist 4\n",
     make_scale,
     Server::kNeeded,
     {},
     3},
    {"tensorboard", "print the link to the TensorBoard of a job, and open it",
     "muster tensorboard JOB | TENSORBOARD [--no-open]", "  muster tensorboard mnist               of the job mnist\n",
     make_tensorboard, Server::kNeeded,
     "Works for TensorBoards of jobs that Arena submitted, too. The link works once, for five minutes, and logs the\n"
     "browser in to this page. On a cluster the page is shown on a port of this machine until Ctrl-C, with no more\n"
     "than access to the API. A suspended TensorBoard is resumed.\n",
     1},
    {"notebook", "print the link to a notebook's JupyterLab, and open it", "muster notebook NAME [--no-open]",
     "  muster notebook mnist\n", make_notebook, Server::kNeeded,
     "The link works once, for five minutes, and logs the browser in to this page. A stopped notebook is started.\n",
     1},
    {"exec", "run a command in a container", "muster exec [-it] POD | JOB [-c CONTAINER] -- COMMAND ARGUMENTS…",
     "  muster exec mnist-worker-0 -- nvidia-smi\n"
     "  muster exec -it mnist -- bash          in the first replica of the job mnist\n"
     "  tar c data | muster exec -i mnist-worker-0 -- tar x -C /data\n",
     make_exec, Server::kNeeded, "The exit code is the command's own. It ends when this command is interrupted.\n"},
    {"attach",
     "connect to the program that a container runs",
     "muster attach [-it] POD | JOB [-c CONTAINER]",
     "  muster attach mnist-worker-0           its output from now on\n"
     "  muster attach -it notebook             for containers with stdin: true and tty: true\n",
     make_attach,
     Server::kNeeded,
     {},
     1},
    {"cp", "copy files to and from a container", "muster cp FILE POD:PATH | POD:PATH FILE [-c CONTAINER]",
     "  muster cp data.csv mnist-worker-0:/data/\n"
     "  muster cp mnist-worker-0:/out/model.pt .\n"
     "  muster cp mnist:/out/model.pt .        from the first replica of the job mnist\n"
     "  muster cp team/mnist-worker-0:/out ./results\n",
     make_cp, Server::kNeeded, "Folders are copied with all they contain. The container must have the program tar.\n",
     2},
    {"volume", "make volumes, and copy files in and out of them",
     "muster volume create NAME [--size 10Gi] [--path DIR] | ls [NAME[:PATH]] | cp SOURCE DESTINATION | rm NAME[:PATH] "
     "[-r]",
     "  muster volume create data --size 20Gi\n"
     "  muster volume create code --path .     a folder of this machine, which must exist\n"
     "  muster volume cp train.py data:code/   a volume is NAME:PATH, whether a pod uses it or not\n"
     "  muster volume cp ./dataset data:\n"
     "  muster volume cp data:out/model.pt .\n"
     "  curl -sL https://host/set.tar | muster volume cp - data:set.tar\n"
     "  muster volume ls data:out\n"
     "  muster volume rm -r data:out\n",
     make_volume, Server::kStarted,
     "Folders are copied with all they contain. A volume is a PersistentVolumeClaim; `rm NAME` deletes it, and its "
     "files\n"
     "are kept aside for seven days.\n"},
    {"top", "what pods or nodes use now", "muster top [JOB | pods [NAME] | nodes [NAME]] [--sort-by=cpu|memory] [-w]",
     "  muster top\n"
     "  muster top pods -A --sort-by=memory\n"
     "  muster top mnist --containers -w       the pods of the job mnist\n"
     "  muster top nodes\n",
     make_top, Server::kNeeded, "A pod is shown from a few seconds after its start.\n", 2},
    {"shell", "a shell, or a command, in a pod of its own", "muster shell [--claim NAME[:PATH]] [-- COMMAND…]",
     "  muster shell --claim data              looks into a claim, at /mnt/data\n"
     "  muster shell --claim data:/data --image pytorch -- python check.py\n",
     make_shell, Server::kStarted,
     "The pod is removed when the command ends, on Ctrl-C, and when this program or its connection is lost.\n"},
    {"delete",
     "delete objects and what belongs to them",
     "muster delete TYPE NAME… | -f FILE | TYPE -l SELECTOR",
     "  muster delete pj mnist\n"
     "  muster delete -f job.yaml\n"
     "  muster delete pods --all --wait=false\n",
     make_delete,
     Server::kNeeded,
     {},
     kAnyNumber,
     true},
    {"wait", "wait until a job has ended, or for a condition", "muster wait TYPE/NAME [--for=…] [--timeout=DURATION]",
     "  muster wait pj/mnist                   exit code 0 when it succeeded, 1 when it failed\n"
     "  muster wait --for=condition=Running pj/mnist --timeout=60s\n"
     "  muster wait --for=jsonpath='{.status.phase}'=Running pj/mnist\n"
     "  muster wait --for=delete pod/mnist-worker-0\n",
     make_wait},
    {"patch", "change fields of objects", "muster patch TYPE NAME -p PATCH [--type=TYPE]",
     "  muster patch pj mnist -p '{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":true}}}}'\n"
     "  muster patch cm settings --type=json -p '[{\"op\":\"remove\",\"path\":\"/data/a\"}]'\n"
     "  muster patch pj mnist --patch-file change.yaml --dry-run=server -o yaml\n",
     make_patch},
    {"label", "set and remove labels", "muster label TYPE NAME… KEY=VALUE… KEY-…",
     "  muster label pj mnist team=vision\n"
     "  muster label pj mnist team-            remove it\n"
     "  muster label pods --all team=vision --overwrite\n",
     make_label},
    {"annotate", "set and remove annotations", "muster annotate TYPE NAME… KEY=VALUE… KEY-…",
     "  muster annotate pj mnist note='second try'\n"
     "  muster annotate pj mnist note-         remove it\n"
     "  muster annotate pj -l team=vision note=reviewed --overwrite\n",
     make_annotate},
    {"edit", "change an object in your editor", "muster edit TYPE NAME | TYPE/NAME",
     "  muster edit pj mnist\n"
     "  KUBE_EDITOR='code --wait' muster edit cm/settings\n",
     make_edit},
    {"explain", "what a kind and its fields mean", "muster explain TYPE[.FIELD…] [--recursive]",
     "  muster explain pj.spec.replicaSpecs\n"
     "  muster explain pytorchjobs.kubeflow.org --recursive\n",
     make_explain, Server::kNone},
    {"use", "choose the server: the local engine or a context of ~/.kube/config", "muster use [local | CONTEXT]",
     "  muster use                             what counts now, and what else is possible\n"
     "  muster use local\n"
     "  muster use prod                        a context of ~/.kube/config\n"
     "  muster use --forget\n",
     make_use, Server::kNone},
    {"kubeconfig", "print the engine's kubeconfig, for kubectl and other programs", "muster kubeconfig",
     "  muster kubeconfig >engine.yaml\n"
     "  kubectl --kubeconfig <(muster kubeconfig) get pods\n",
     make_kubeconfig, Server::kNone},
    {"crds", "print the resource definitions that a cluster needs", "muster crds",
     "  muster crds | kubectl apply --server-side -f -\n", make_crds, Server::kNone},
    {"version", "of this program and of the server", "muster version", "  muster version -o json\n", make_version,
     Server::kOptional},
    {"completion",
     "print the completion script of bash, zsh or fish",
     "muster completion bash | zsh | fish",
     "  source <(muster completion bash)                                     in ~/.bashrc\n"
     "  source <(muster completion zsh)                                      in ~/.zshrc\n"
     "  muster completion fish >~/.config/fish/completions/muster.fish\n",
     make_completion,
     Server::kNone,
     {},
     1},
};

}  // namespace

std::span<const Entry> object_commands() {
  return kCommands;
}

const Entry* find_command(CommandTable table, std::string_view name) {
  for (const Section& section : table) {
    const auto found = std::ranges::find(section.commands, name, &Entry::name);
    if (found != section.commands.end()) return &*found;
  }
  return nullptr;
}

std::string program_help(CommandTable table) {
  std::string out = "muster runs distributed training jobs and speaks the Kubernetes API.\n";
  for (const Section& section : table) {
    out += fmt::format("\n{}:\n", section.title);
    for (const Entry& entry : section.commands) out += fmt::format("  {:<11} {}\n", entry.name, entry.summary);
  }
  return out +
         "\nMore about one: muster help COMMAND\n"
         "-n NAMESPACE, --context and --kubeconfig may stand before the command, too.\n";
}

std::string help_text(const Entry& entry, const Flags& own, const Flags& common) {
  std::string out = fmt::format("{}: {}\n\nUsage:\n  {}\n", entry.name, entry.summary, entry.usage);
  if (!entry.notes.empty()) out += fmt::format("\n{}", entry.notes);
  out += fmt::format("\nExamples:\n{}", entry.examples);
  if (const std::string flags = own.help(); !flags.empty()) out += "\nFlags:\n" + flags;
  if (const std::string flags = common.help(); !flags.empty()) out += "\nFlags of every command:\n" + flags;
  return out;
}

Failure unknown_command(std::string_view word, CommandTable table) {
  std::vector<std::string> names{"help"};
  for (const Section& section : table) {
    for (const Entry& entry : section.commands) {
      if (!entry.destructive) names.emplace_back(entry.name);
    }
  }
  Failure out = usage_failure(fmt::format("unknown command {}", quote(word)), "muster help lists the commands");
  if (const auto meant = did_you_mean(word, names)) out.what += fmt::format("; did you mean {}?", quote(*meant));
  return out;
}

}  // namespace muster::cli
