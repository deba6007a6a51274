#include "cli/commands/command_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "cli/commands/sweep.h"
#include "cli/sweep/parameter_words.h"

namespace muster::cli {

namespace {

constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

constexpr Entry kCommands[] = {
    {"apply", "create or update objects from files", "muster apply -f FILE [-n NAMESPACE]",
     "  muster apply -f job.yaml\n"
     "  muster apply -f manifests/             all .yaml, .yml and .json files in it\n"
     "  cat job.yaml | muster apply -f -\n",
     make_apply, Server::kStarted},
    {"create", "create objects from files, or a namespace", "muster create -f FILE [-n NAMESPACE] | namespace NAME",
     "  muster create -f job.yaml\n"
     "  muster create namespace team\n"
     "  muster create -f job.yaml --dry-run=server -o yaml\n",
     make_create, Server::kStarted},
    {"get", "list or print objects", "muster get TYPE[,TYPE…] [NAME…] [-o FORMAT] [-w]",
     "  muster get jobs                        all kinds, with progress and causes\n"
     "  muster get jobs --phase Running --sort-by loss\n"
     "  muster get jobs -w                     also print every change\n"
     "  muster get pj                          PyTorchTrainingJobs\n"
     "  muster get pods,pj -A                  in all namespaces\n"
     "  muster get pj mnist -o yaml\n"
     "  muster get pods -l tensorstack.dev/owner-name=mnist -w\n"
     "  muster get pj mnist -o jsonpath='{.status.phase}'\n",
     make_get},
    {"describe", "show the state of an object, its cause and its events", "muster describe TYPE NAME",
     "  muster describe pj mnist\n"
     "  muster describe pod/mnist-worker-0\n",
     make_describe},
    {"logs", "print the logs of a pod or of a job", "muster logs POD | JOB | TYPE/NAME | -l SELECTOR [-f]",
     "  muster logs -f mnist                   follow it; exit code 1 if it fails\n"
     "  muster logs mnist-worker-0 --tail=20\n"
     "  muster logs mnist-worker-0 --previous  the run before the last restart\n"
     "  muster logs mnist-worker-0 --attempt=0 the first attempt, even if deleted\n",
     make_logs},
    {"run", "run a script from this folder as a job and follow its output",
     "muster run [--ranks N] [--gpus N] SCRIPT [ARGUMENTS…]",
     "  muster run train.py --epochs 3         flags after the script are the script's\n"
     "  muster run --ranks 4 train.py          four processes, each with its RANK\n"
     "  muster run --gpus 4 -d train.py        a rank for each GPU, in the background\n"
     "  muster run -it train.py                with a terminal, for breakpoint()\n"
     "  muster run --mount /data:ro train.py   with a folder that it may only read\n"
     "  muster run --port 8000 serve.py        reach it at http://127.0.0.1:8000\n",
     make_run, Server::kHere,
     "The job sees the project (the git repository of this folder, else this folder)\n"
     "at the same path, and the folders that arguments name; it uses an active virtual\n"
     "environment. Each rank has RANK, WORLD_SIZE, LOCAL_RANK and what else torchrun\n"
     "sets. Ctrl-C stops following; the job keeps running.\n"},
    {"sweep", "run a script with many combinations of parameters",
     "muster sweep --PARAMETER VALUES… [--parallel N] -- SCRIPT [ARGUMENTS…]\n"
     "  muster sweep --file sweep.yaml [-- SCRIPT [ARGUMENTS…]]\n"
     "  muster sweep show | stop | rerun NAME\n"
     "  muster sweep ls",
     "  muster sweep --lr 0.1,0.01 --seed 1..3 -- train.py --epochs 5\n"
     "  muster sweep --lr 0.001..0.1 --random 20 --parallel 4 -- train.py\n"
     "  muster sweep --gpus 1 --lr 0.1,0.01 -- train.py --rate={lr}\n"
     "  muster sweep --metric accuracy --goal max --lr 0.1,0.01 -- train.py\n"
     "  muster sweep show train-x7kfp          all runs and the best one\n",
     make_sweep, Server::kHere,
     "Each combination is a job with the values as flags of the script: --lr 0.1. A\n"
     "word with {lr} gets the value there instead. VALUES are a list, or a range such\n"
     "as 1..3, or 0..1..0.25 with a step. --parallel jobs run at a time; the others\n"
     "wait. Ctrl-C stops following; the sweep keeps running. The flags of `muster run`\n"
     "apply to each job.\n",
     kAnyNumber, false, with_parameter_flags},
    {"pause", "end a job's processes and free its resources until it is resumed", "muster pause JOB…",
     "  muster pause mnist\n", make_pause, Server::kNeeded,
     "A resumed job starts its ranks from the beginning of the script, which can\n"
     "continue from its last checkpoint.\n"},
    {"resume", "resume a paused job", "muster resume JOB…", "  muster resume mnist\n", make_resume},
    {"stop",
     "end a job for good; its record and logs stay",
     "muster stop JOB…",
     "  muster stop mnist\n"
     "  muster stop mnist cifar\n",
     make_stop,
     Server::kNeeded,
     {},
     kAnyNumber,
     true},
    {"rerun", "create a new job like an existing one", "muster rerun JOB [--name NAME] [-- OTHER ARGUMENTS…]",
     "  muster rerun mnist                     creates mnist-2\n"
     "  muster rerun mnist -- --lr 0.01        its script with these arguments only\n",
     make_rerun, Server::kNeeded, "What follows -- replaces all arguments of the script.\n", 2},
    {"compare", "show in what jobs differ: arguments, environment, results",
     "muster compare JOB JOB… [--all] [-o json]",
     "  muster compare mnist mnist-2\n"
     "  muster compare mnist mnist-2 --all     include what they have in common\n",
     make_compare, Server::kNeeded,
     "For each curve that a job logs for TensorBoard it shows the last and the best\n"
     "value.\n"},
    {"scale",
     "change the number of workers of an elastic job",
     "muster scale JOB REPLICAS",
     "  muster scale mnist 4\n",
     make_scale,
     Server::kNeeded,
     {},
     3},
    {"tensorboard", "print the link to the TensorBoard of a job and open it",
     "muster tensorboard JOB | TENSORBOARD [--no-open]", "  muster tensorboard mnist\n", make_tensorboard,
     Server::kNeeded,
     "Also works for jobs that Arena submitted. The link works once, within five\n"
     "minutes, and logs the browser in to this page. For a cluster the page is served\n"
     "on a port of this machine until Ctrl-C and needs only access to the API. A\n"
     "suspended TensorBoard is resumed.\n",
     1},
    {"notebook", "print the link to a notebook's JupyterLab and open it", "muster notebook NAME [--no-open]",
     "  muster notebook mnist\n", make_notebook, Server::kNeeded,
     "The link works once, within five minutes, and logs the browser in to this page.\n"
     "A suspended notebook is resumed.\n",
     1},
    {"exec", "run a command in a container", "muster exec [-it] POD | JOB [-c CONTAINER] -- COMMAND ARGUMENTS…",
     "  muster exec mnist-worker-0 -- nvidia-smi\n"
     "  muster exec -it mnist -- bash          in the deciding replica of a job\n"
     "  tar c data | muster exec -i mnist-worker-0 -- tar x -C /data\n",
     make_exec, Server::kNeeded, "The exit code is that of the command, which ends when muster is interrupted.\n"},
    {"attach",
     "connect to the running program of a container",
     "muster attach [-it] POD | JOB [-c CONTAINER]",
     "  muster attach mnist-worker-0           print its output from now on\n"
     "  muster attach -it notebook             needs stdin: true and tty: true\n",
     make_attach,
     Server::kNeeded,
     {},
     1},
    {"cp", "copy files to and from a container", "muster cp FILE POD:PATH | POD:PATH FILE [-c CONTAINER]",
     "  muster cp data.csv mnist-worker-0:/data/\n"
     "  muster cp mnist-worker-0:/out/model.pt .\n"
     "  muster cp mnist:/out/model.pt .        from the deciding replica of a job\n"
     "  muster cp team/mnist-worker-0:/out ./results\n",
     make_cp, Server::kNeeded, "Folders are copied with all their contents. The container needs the program tar.\n", 2},
    {"port-forward", "reach ports of a pod from this machine",
     "muster port-forward POD | JOB | svc/NAME [LOCAL:]REMOTE… [--address ADDRESS]",
     "  muster port-forward mnist 6006         in the deciding replica of a job\n"
     "  muster port-forward mnist-worker-0 8080:80\n"
     "  muster port-forward svc/web :http      any free port, to a named one\n",
     make_port_forward, Server::kNeeded,
     "Connections to the local port reach the program that listens on the remote port\n"
     "in the pod. It ends with Ctrl-C or with the pod.\n"},
    {"volume", "create volumes and copy files to and from them",
     "muster volume create NAME [--size 10Gi] [--path DIR]\n"
     "  muster volume ls [NAME[:PATH]]\n"
     "  muster volume cp SOURCE DESTINATION\n"
     "  muster volume rm NAME[:PATH] [-r]",
     "  muster volume create data --size 20Gi\n"
     "  muster volume create code --path .     an existing folder of this machine\n"
     "  muster volume cp train.py data:code/   works whether a pod uses it or not\n"
     "  muster volume cp ./dataset data:\n"
     "  muster volume cp data:out/model.pt .\n"
     "  curl -sL https://host/set.tar | muster volume cp - data:set.tar\n"
     "  muster volume ls data:out\n"
     "  muster volume rm -r data:out\n",
     make_volume, Server::kStarted,
     "Folders are copied with all their contents. A volume is a PersistentVolumeClaim.\n"
     "`rm NAME` deletes it; its files are moved aside and kept for seven days.\n"},
    {"top", "show what pods or nodes use now, or what a job used",
     "muster top [JOB | pods [NAME] | nodes [NAME]] [--sort-by=cpu|memory] [-w]",
     "  muster top\n"
     "  muster top pods -A --sort-by=memory\n"
     "  muster top mnist --containers -w       the pods of job mnist\n"
     "  muster top nodes\n",
     make_top, Server::kNeeded,
     "A pod appears a few seconds after its start. For a job that has ended, also a\n"
     "deleted one, it shows the mean and the peak while that is kept.\n",
     2},
    {"shell", "run a shell or a command in a pod of its own", "muster shell [--claim NAME[:PATH]] [-- COMMAND…]",
     "  muster shell --claim data              mounts the claim at /mnt/data\n"
     "  muster shell --claim data:/data --image pytorch -- python check.py\n",
     make_shell, Server::kStarted,
     "The pod is removed when the command ends, on Ctrl-C, and when this program or\n"
     "its connection is lost.\n"},
    {"delete",
     "delete objects and what they own",
     "muster delete JOB… | TYPE NAME… | -f FILE | TYPE -l SELECTOR",
     "  muster delete mnist                    the job of this name\n"
     "  muster delete pj mnist\n"
     "  muster delete -f job.yaml\n"
     "  muster delete pods --all --wait=false\n",
     make_delete,
     Server::kNeeded,
     {},
     kAnyNumber,
     true},
    {"wait", "wait for the end of a job or for a condition", "muster wait TYPE/NAME [--for=…] [--timeout=DURATION]",
     "  muster wait pj/mnist                   exit code 0: succeeded, 1: failed\n"
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
    {"explain", "document a kind and its fields", "muster explain TYPE[.FIELD…] [--recursive]",
     "  muster explain pj.spec.replicaSpecs\n"
     "  muster explain pytorchjobs.kubeflow.org --recursive\n",
     make_explain, Server::kNone},
    {"use", "choose the server: the local engine or a kubeconfig context", "muster use [local | CONTEXT]",
     "  muster use                             show the current server and the others\n"
     "  muster use local\n"
     "  muster use prod                        a context of ~/.kube/config\n"
     "  muster use --forget\n",
     make_use, Server::kNone},
    {"kubeconfig", "print the engine's kubeconfig for kubectl and other programs", "muster kubeconfig",
     "  muster kubeconfig >engine.yaml\n"
     "  kubectl --kubeconfig <(muster kubeconfig) get pods\n",
     make_kubeconfig, Server::kNone},
    {"crds", "print the resource definitions to install on a cluster", "muster crds",
     "  muster crds | kubectl apply --server-side -f -\n", make_crds, Server::kNone},
    {"version", "print the version of muster and of the server", "muster version", "  muster version -o json\n",
     make_version, Server::kOptional},
    {"completion",
     "print the completion script for bash, zsh or fish",
     "muster completion bash | zsh | fish",
     "  source <(muster completion bash)       in ~/.bashrc\n"
     "  source <(muster completion zsh)        in ~/.zshrc\n"
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
         "\nHelp for one command: muster help COMMAND\n"
         "-n NAMESPACE, --context and --kubeconfig may also precede the command.\n";
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
  // What other tools call it.
  static constexpr std::array<std::pair<std::string_view, const char*>, 7> kElsewhere = {{{"ps", "muster get jobs"},
                                                                                          {"list", "muster get jobs"},
                                                                                          {"ls", "muster get jobs"},
                                                                                          {"queue", "muster get jobs"},
                                                                                          {"submit", "muster run"},
                                                                                          {"kill", "muster stop"},
                                                                                          {"cancel", "muster stop"}}};
  Failure out = usage_failure(fmt::format("unknown command {}", quote(word)), "muster help lists the commands");
  const auto elsewhere = std::ranges::find(kElsewhere, word, &std::pair<std::string_view, const char*>::first);
  if (elsewhere != kElsewhere.end()) {
    out.fix = elsewhere->second;
  } else if (const auto meant = did_you_mean(word, names)) {
    out.what += fmt::format("; did you mean {}?", quote(*meant));
  }
  return out;
}

}  // namespace muster::cli
