// Reads training jobs and what belongs to them from the API server, with few requests at the same time.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "arena/context/context.h"
#include "arena/flags/flags.h"
#include "arena/jobs/jobs.h"

namespace muster::arena {

struct JobQuery {
  std::string ns;                 // "": all namespaces
  const JobType* type = nullptr;  // null: all types
  std::string name = {};          // "": all names
  // Reads only what the classic table of `list` shows: with hundreds of jobs, reading them whole takes most of the
  // time. GPUs, priorities and the states of pods are then unknown.
  bool for_classic_list = false;
};

/// A job with its object and its pods.
struct FoundJob {
  Job job;
  json::Document object;
  client::ResourceName resource;
};

/// Returns the jobs of all types that the server knows, sorted as `arena list` shows them. Forbidden when the user may
/// not list one of them: a list that silently lacks a type would be wrong.
Result<std::vector<FoundJob>> find_jobs(Context& context, const JobQuery& query);

/// Returns the one job of this name. `missing` is the text for a job that does not exist.
std::variant<FoundJob, cli::Failure> find_job(Context& context, const std::string& name, const std::string& type_word,
                                              const std::string& missing);
/// The text of logs, attach, top job and logviewer for a job that does not exist.
inline constexpr const char* kJobNotFound =
    "training job not found,please use 'arena list' to make sure job is existed";

/// Returns the failure for a word after -T that names no type.
std::optional<cli::Failure> check_type(const std::string& word);
void add_type_flag(Flags& flags, std::string* word);

/// Returns the failure to show for an error while jobs are listed.
cli::Failure list_failure(const Context& context, const Error& error, const std::string& ns);

/// Starts one list per query and waits for all of them.
struct ListQuery {
  client::ResourceName resource;
  std::string ns;
  client::ListOptions options = {};
};
std::vector<Result<json::Document>> list_together(cli::Session& session, const std::vector<ListQuery>& queries);

}  // namespace muster::arena
