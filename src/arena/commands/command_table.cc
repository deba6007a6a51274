#include "arena/commands/commands.h"

namespace muster::arena {

namespace {

using cli::Server;

constexpr std::string_view kNoJob = "not set job name,please set it";
constexpr std::string_view kNoCommand = "not found command args";

constexpr Entry submit(std::string_view name, std::string_view aliases, std::string_view summary,
                       std::unique_ptr<Command> (*make)()) {
  return {.name = name,
          .aliases = aliases,
          .summary = summary,
          .usage = "[flags] COMMAND...",
          .make = make,
          .server = Server::kStarted,
          .without_words = kNoCommand};
}

/// A command about jobs that its words name.
constexpr Entry about_job(std::string_view name, std::string_view aliases, std::string_view summary,
                          std::string_view usage, std::unique_ptr<Command> (*make)()) {
  return {.name = name,
          .aliases = aliases,
          .summary = summary,
          .usage = usage,
          .make = make,
          .without_words = kNoJob,
          .names_job = true};
}

constexpr Entry missing(std::string_view name, std::string_view aliases, std::string_view summary,
                        std::unique_ptr<Command> (*make)()) {
  return {.name = name,
          .aliases = aliases,
          .summary = summary,
          .usage = "",
          .make = make,
          .server = Server::kNone,
          .hidden = true};
}

constexpr Entry kSubmit[] = {
    submit("pytorchjob", "pytorch,py", "Submit PyTorchJob as training job.", make_submit_pytorch),
    submit("tfjob", "tf", "Submit TFJob as training job.", make_submit_tf),
    submit("mpijob", "mpi,mj", "Submit MPIjob as training job.", make_submit_mpi),
    submit("horovodjob", "horovod,hj", "Submit horovodjob as training job.", make_submit_horovod),
    missing("etjob", "et", "Submit ETJob as training job.", make_missing_kind),
    missing("deepspeedjob", "dp,deepspeed", "Submit DeepSpeedJob as training job.", make_missing_kind),
    missing("rayjob", "rj,ray", "Submit RayJob as training job.", make_missing_kind),
    missing("volcanojob", "vj,volcano", "Submit VolcanoJob as training job.", make_missing_kind),
    missing("sparkjob", "spark", "Submit SparkJob as training job.", make_missing_kind),
};
constexpr Entry kScale[] = {
    missing("etjob", "et", "Scale an ETJob.", make_missing_kind),
};
constexpr Entry kTop[] = {
    {.name = "node",
     .aliases = "",
     .summary = "Display Resource (GPU) usage of nodes.",
     .usage = "[NODE...] [flags]",
     .make = make_top_node},
    {.name = "job",
     .aliases = "",
     .summary = "Display Resource (GPU) usage of jobs.",
     .usage = "[JOB] [flags]",
     .make = make_top_job,
     .names_job = true},
};
constexpr Entry kData[] = {
    {.name = "list",
     .aliases = "ls",
     .summary = "list all the data volume.",
     .usage = "[flags]",
     .make = make_data_list},
};

/// A command about schedules that its words name.
constexpr Entry about_cron(std::string_view name, std::string_view aliases, std::string_view summary,
                           std::string_view usage, std::unique_ptr<Command> (*make)()) {
  return {.name = name,
          .aliases = aliases,
          .summary = summary,
          .usage = usage,
          .make = make,
          .without_words = "not set cron name,please set it"};
}

constexpr Entry kCron[] = {
    submit("tfjob", "tf", "Submit a cron tfjob.", make_cron_tf),
    submit("pytorchjob", "pytorch,py", "Submit a cron pytorchjob.", make_cron_pytorch),
    submit("mpijob", "mpi,mj", "Submit a cron mpijob.", make_cron_mpi),
    submit("horovodjob", "horovod,hj", "Submit a cron horovodjob.", make_cron_horovod),
    {.name = "list", .aliases = "ls", .summary = "list all the crons", .usage = "[flags]", .make = make_cron_list},
    about_cron("get", "", "display a cron and the jobs that it created", "NAME [flags]", make_cron_get),
    about_cron("delete", "del", "delete crons and their jobs", "NAME... [flags]", make_cron_delete),
    about_cron("suspend", "", "suspend crons: no more jobs start", "NAME... [flags]", make_cron_suspend),
    about_cron("resume", "", "resume crons", "NAME... [flags]", make_cron_resume),
};

constexpr Entry kCommands[] = {
    {.name = "submit", .aliases = "", .summary = "Submit a training job.", .usage = "", .children = kSubmit},
    {.name = "list", .aliases = "ls", .summary = "list all the training jobs", .usage = "[flags]", .make = make_list},
    about_job("get", "", "display a training job details", "JOB [flags]", make_get),
    about_job("logs", "log", "print the logs for a task of the training job", "JOB [flags]", make_logs),
    about_job("logviewer", "", "display Log Viewer URL of a training job", "JOB [flags]", make_logviewer),
    about_job("tensorboard", "", "open the tensorboard of a training job in a browser", "JOB [flags]",
              make_tensorboard),
    about_job("attach", "", "attach a training job and execute some commands", "JOB [flags] [-- COMMAND...]",
              make_attach),
    about_job("delete", "del", "delete a training job and its associated instances", "JOB... [flags]", make_delete),
    {.name = "prune", .aliases = "", .summary = "prune history job", .usage = "[flags]", .make = make_prune},
    {.name = "scalein", .aliases = "", .summary = "Scale-in a job. (not supported)", .usage = "", .children = kScale},
    {.name = "scaleout", .aliases = "", .summary = "Scale-out a job. (not supported)", .usage = "", .children = kScale},
    {.name = "top", .aliases = "", .summary = "Display Resource (GPU) usage.", .usage = "", .children = kTop},
    {.name = "data", .aliases = "", .summary = "manage data.", .usage = "", .children = kData},
    {.name = "cron", .aliases = "", .summary = "manage cron jobs.", .usage = "", .children = kCron},
    {.name = "completion",
     .aliases = "",
     .summary = "output shell completion code for the specified shell (bash or zsh)",
     .usage = "SHELL",
     .make = make_completion,
     .server = Server::kNone,
     .without_words = "Invalid shell ''. The supported shells are bash and zsh."},
    {.name = "whoami",
     .aliases = "",
     .summary = "Display current user information.",
     .usage = "[flags]",
     .make = make_whoami},
    {.name = "version",
     .aliases = "",
     .summary = "Print version information",
     .usage = "[flags]",
     .make = make_version,
     .server = Server::kNone},
    missing("serve", "", "Serve a job.", make_not_supported),
    missing("evaluate", "", "evaluate a job.", make_not_supported),
    missing("model", "", "manage models.", make_not_supported),
    missing("llm", "", "manage language models.", make_not_supported),
    {.name = "__complete",
     .aliases = "",
     .summary = "what the completion scripts call",
     .usage = "",
     .make = make_complete,
     .server = Server::kOptional,
     .hidden = true},
};

}  // namespace

std::span<const Entry> commands() {
  return kCommands;
}

}  // namespace muster::arena
