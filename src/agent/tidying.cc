#include "agent/tidying.h"

namespace muster::agent {
namespace {

constexpr Duration kTidyEvery = std::chrono::minutes(10);
constexpr int kManyGone = 100;

}  // namespace

void Tidying::start() {
  remove_old_logs();
  claims_.remove_old();
  timer_ = loop_.after(kTidyEvery, [this] { start(); });
}

void Tidying::on_pod_gone() {
  if (++gone_since_ >= kManyGone) remove_old_logs();
}

void Tidying::remove_old_logs() {
  gone_since_ = 0;
  logs_.remove_old(is_in_use_);
}

}  // namespace muster::agent
