#include "arena/output/cron_tables.h"

#include <fmt/core.h>

#include "arena/output/aligned.h"

namespace muster::arena {

namespace {

using json::Document;

std::string suspend_text(const Document& cron) {
  return cron.bool_at("spec", "suspend") ? "true" : "false";
}

}  // namespace

std::string cron_list_text(const json::Array& crons, bool with_namespace) {
  std::vector<Row> rows{{"NAME", "TYPE", "SCHEDULE", "SUSPEND", "DEADLINE", "CONCURRENCYPOLICY"}};
  for (const Document& cron : crons) {
    rows.push_back({cron.string_at("metadata", "name"), cron.string_at("spec", "template", "kind"),
                    cron.string_at("spec", "schedule"), suspend_text(cron), cron.string_at("spec", "deadline"),
                    cron.string_at("spec", "concurrencyPolicy")});
  }
  if (with_namespace) {
    rows[0].insert(rows[0].begin(), "NAMESPACE");
    for (std::size_t i = 0; i < crons.size(); ++i) {
      rows[i + 1].insert(rows[i + 1].begin(), crons[i].string_at("metadata", "namespace"));
    }
  }
  return aligned(rows);
}

std::string cron_text(const Document& cron) {
  const std::vector<Row> head{{"Name:", cron.string_at("metadata", "name")},
                              {"Namespace:", cron.string_at("metadata", "namespace")},
                              {"Type:", cron.string_at("spec", "template", "kind")},
                              {"Schedule:", cron.string_at("spec", "schedule")},
                              {"Suspend:", suspend_text(cron)},
                              {"ConcurrencyPolicy:", cron.string_at("spec", "concurrencyPolicy")},
                              {"CreationTimestamp:", cron.string_at("metadata", "creationTimestamp")},
                              {"LastScheduleTime:", cron.string_at("status", "lastScheduleTime")},
                              {"Deadline:", cron.string_at("spec", "deadline")}};
  std::vector<Row> rows{{"NAME", "STATUS", "TYPE", "CREATETIME", "FINISHTIME"},
                        {"----", "------", "----", "----------", "----------"}};
  for (const Document& job : cron.array_at("status", "history")) {
    rows.push_back({job.string_at("object", "name"), job.string_at("status"), job.string_at("object", "kind"),
                    job.string_at("created"), job.string_at("finished")});
  }
  return aligned(head) + "\nHistory:\n" + aligned(rows);
}

Document cron_json(const Document& cron) {
  json::Array history;
  for (const Document& job : cron.array_at("status", "history")) {
    history.push_back(json::Object{{"name", job.string_at("object", "name")},
                                   {"namespace", cron.string_at("metadata", "namespace")},
                                   {"group", job.string_at("object", "apiGroup")},
                                   {"kind", job.string_at("object", "kind")},
                                   {"status", job.string_at("status")},
                                   {"createTime", job.string_at("created")},
                                   {"finishTime", job.string_at("finished")}});
  }
  return json::Object{{"uuid", cron.string_at("metadata", "uid")},
                      {"name", cron.string_at("metadata", "name")},
                      {"namespace", cron.string_at("metadata", "namespace")},
                      {"type", cron.string_at("spec", "template", "kind")},
                      {"schedule", cron.string_at("spec", "schedule")},
                      {"concurrencyPolicy", cron.string_at("spec", "concurrencyPolicy")},
                      {"suspend", cron.bool_at("spec", "suspend")},
                      {"deadline", cron.string_at("spec", "deadline")},
                      {"historyLimit", cron.int_at("spec", "historyLimit")},
                      {"lastScheduleTime", cron.string_at("status", "lastScheduleTime")},
                      {"creationTimestamp", cron.string_at("metadata", "creationTimestamp")},
                      {"cronHistory", std::move(history)}};
}

}  // namespace muster::arena
