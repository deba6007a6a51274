// Who acts on a SimEngine besides its controllers: a user who makes, pauses and deletes jobs, and a kubelet whose pods
// run, fail, are lost and end at random.
#pragma once

#include <map>
#include <set>
#include <string>

#include "sim_engine.h"

namespace muster::control {

/// What the invariants need to know of what has happened to a job.
struct JobRecord {
  bool was_disturbed = false;          // paused, or lost pods or evidence that the plan needs to count failures
  std::set<int> failed_attempts = {};  // in which a program of it failed
};
using JobRecords = std::map<std::string, JobRecord>;  // by uid

class SimUser {
 public:
  SimUser(SimEngine& engine, JobRecords& records) : engine_(engine), records_(records) {}

  void move();
  /// Resumes what is paused, so that every job can end.
  void resume_all();
  void delete_all();

 private:
  void create(const std::string& name);
  void patch(const SimEngine::Object& job, const json::Document& change);
  void set_paused(const SimEngine::Object& job, bool is_paused);
  void remove(const SimEngine::Object& job);

  SimEngine& engine_;
  JobRecords& records_;
};

class SimKubelet {
 public:
  SimKubelet(SimEngine& engine, JobRecords& records) : engine_(engine), records_(records) {}

  void move();
  bool is_healthy = false;  // pods run and succeed

 private:
  void move_pod(const json::Document& pod);
  void begin(const json::Document& pod);
  void end(const json::Document& pod, int exit_code);
  void fail_without_status(const json::Document& pod, const std::string& reason);
  void remove(const json::Document& pod, bool at_once);
  void write_status(const json::Document& pod, json::Document status);
  JobRecord& record_of(const json::Document& pod);

  SimEngine& engine_;
  JobRecords& records_;
};

/// All jobs of all kinds.
std::vector<SimEngine::Object> jobs_of(SimEngine& engine);

}  // namespace muster::control
