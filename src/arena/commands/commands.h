// The commands of Arena; command_table.cc lists them.
#pragma once

#include <memory>

#include "arena/commands/command.h"

namespace muster::arena {

std::unique_ptr<Command> make_version();
std::unique_ptr<Command> make_top_node();
std::unique_ptr<Command> make_top_job();
std::unique_ptr<Command> make_list();
std::unique_ptr<Command> make_get();
std::unique_ptr<Command> make_logs();
std::unique_ptr<Command> make_data_list();
std::unique_ptr<Command> make_delete();
std::unique_ptr<Command> make_prune();
std::unique_ptr<Command> make_attach();
std::unique_ptr<Command> make_logviewer();
std::unique_ptr<Command> make_tensorboard();
std::unique_ptr<Command> make_whoami();
std::unique_ptr<Command> make_completion();
std::unique_ptr<Command> make_complete();
/// Fail with one sentence, whatever the flags are: for kinds of jobs that nothing here runs, and for commands that are
/// not about training.
std::unique_ptr<Command> make_missing_kind();
std::unique_ptr<Command> make_not_supported();
std::unique_ptr<Command> make_submit_pytorch();
std::unique_ptr<Command> make_submit_tf();
std::unique_ptr<Command> make_submit_mpi();
std::unique_ptr<Command> make_submit_horovod();
std::unique_ptr<Command> make_cron_pytorch();
std::unique_ptr<Command> make_cron_tf();
std::unique_ptr<Command> make_cron_mpi();
std::unique_ptr<Command> make_cron_horovod();
std::unique_ptr<Command> make_cron_list();
std::unique_ptr<Command> make_cron_get();
std::unique_ptr<Command> make_cron_delete();
std::unique_ptr<Command> make_cron_suspend();
std::unique_ptr<Command> make_cron_resume();

}  // namespace muster::arena
