// Arena's tables about schedules. Pure: Cron objects in, text out.
#pragma once

#include <string>

#include "json/document.h"

namespace muster::arena {

std::string cron_list_text(const json::Array& crons, bool with_namespace);
/// `arena cron get`: the schedule and the jobs that it made.
std::string cron_text(const json::Document& cron);
/// The Cron as `-o json` and `-o yaml` show it.
json::Document cron_json(const json::Document& cron);

}  // namespace muster::arena
