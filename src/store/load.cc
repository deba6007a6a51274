#include "store/load.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "base/strings.h"
#include "store/checksum.h"

namespace muster::store {
namespace {

// Lists and watches give resourceVersion "0" a meaning (any version will do), so no state of the store has it.
constexpr Revision kFirstRevision = 1;

std::string describe(const Row& row) {
  return fmt::format("row {} ({})", row.id, quote(fmt::format("{}/{}/{}", row.key.resource, row.key.ns, row.key.name)));
}

/// Extracts the attributes of rows on other threads, while this thread reads the next rows.
class Extraction {
 public:
  explicit Extraction(const Options& options) : options_(options) {}

  std::shared_ptr<const Attributes> begin(const Row& row, const Bytes& bytes) {
    auto attributes = std::make_shared<Attributes>();
    batch_.push_back({row.key.resource, bytes, attributes});
    if (batch_.size() == kBatch) send();
    return attributes;
  }
  void finish() {
    send();
    for (std::future<void>& one : under_way_) one.get();
  }

 private:
  static constexpr std::size_t kBatch = 2000;
  struct Item {
    std::string resource;
    Bytes bytes;
    std::shared_ptr<Attributes> out;
  };

  void send() {
    if (batch_.empty()) return;
    if (under_way_.size() >= most_) {
      under_way_.front().get();
      under_way_.pop_front();
    }
    under_way_.push_back(std::async(std::launch::async, [this, batch = std::exchange(batch_, {})] {
      for (const Item& item : batch) *item.out = options_.extract(item.resource, *item.bytes);
    }));
  }

  const Options& options_;
  std::vector<Item> batch_;
  std::deque<std::future<void>> under_way_;  // oldest first
  const std::size_t most_ = std::max(1u, std::thread::hardware_concurrency());
};

struct Reader {
  Extraction extraction;
  Loaded& loaded;
  std::size_t quarantined = 0;

  void quarantine(const Row& row, std::string_view why) {
    ++quarantined;
    loaded.problems.push_back(
        fmt::format("database: {}: {}, the object is not served; its row is kept", describe(row), why));
  }

  void take(const Row& row) {
    ++loaded.ledger.objects;
    loaded.ledger.digest += row.checksum;
    const bool new_row = row.id > loaded.last_row;
    loaded.last_row = std::max(loaded.last_row, row.id);
    if (row_checksum(row.id, row.key, row.revision, row.bytes) != row.checksum)
      return quarantine(row, "wrong checksum");
    if (!new_row || loaded.index.committed(row.key) != nullptr) return quarantine(row, "appears twice");
    loaded.ledger.revision = std::max(loaded.ledger.revision, row.revision);
    Slot slot;
    slot.entry.revision = row.revision;
    slot.entry.bytes = std::make_shared<const std::string>(row.bytes);
    slot.entry.attributes = extraction.begin(row, slot.entry.bytes);
    slot.row = row.id;
    slot.checksum = row.checksum;
    loaded.index.commit(row.key, row.revision, std::move(slot));
  }
};

/// The reasons why acknowledged writes may be missing; empty when none is.
std::vector<std::string> find_losses(const Ledger& found, const std::optional<Ledger>& expected, bool quarantined,
                                     const HighWaterMark::Found& mark) {
  std::vector<std::string> losses;
  const Revision reached = std::max(found.revision, expected ? expected->revision : 0);
  if (!expected) losses.push_back("the database has no valid ledger, so missing objects would not show");
  if (expected && expected->objects != found.objects) {
    losses.push_back(
        fmt::format("the database holds {} objects, its ledger says {}", found.objects, expected->objects));
  } else if (expected && expected->digest != found.digest && !quarantined) {
    losses.push_back("objects in the database have fallen back to older versions");
  }
  if (mark.revision && *mark.revision > reached) {
    losses.push_back(fmt::format("the database ends at revision {}, but {} was acknowledged", reached, *mark.revision));
  }
  // The first start writes the ledger, then the mark: dying in between loses nothing.
  if (!mark.revision && reached > kFirstRevision) {
    losses.push_back(fmt::format("the file \"revision\" is {}, so a missing end of the database would not show",
                                 mark.existed ? "damaged" : "gone"));
  }
  return losses;
}

}  // namespace

Result<Loaded> load(Database& database, const HighWaterMark::Found& mark, const Options& options) {
  Loaded loaded;
  TRY_ASSIGN(const auto expected, database.read_ledger());
  Reader reader{Extraction(options), loaded};
  TRY(database.scan([&](const Row& row) { reader.take(row); }));
  reader.extraction.finish();

  loaded.fresh = !expected && loaded.ledger.objects == 0 && !mark.existed;
  std::vector<std::string> losses;
  if (!loaded.fresh) losses = find_losses(loaded.ledger, expected, reader.quarantined > 0, mark);
  if (!losses.empty() && !options.accept_data_loss) {
    Error error;
    error.reason = Reason::kInternalError;
    error.message =
        fmt::format("data directory {}: {}; restore a copy, or start with --accept-data-loss to start without it",
                    quote(options.directory), join(losses, "; "));
    return error;
  }
  for (const auto& loss : losses) loaded.problems.push_back(loss + " (accepted)");
  if (mark.revision && mark.damaged)
    loaded.problems.push_back("one of the two records in the file \"revision\" is damaged");

  auto& revision = loaded.ledger.revision;
  revision = std::max({kFirstRevision, revision, expected ? expected->revision : 0, mark.revision.value_or(0)});
  loaded.lost_data = !losses.empty();
  if (loaded.lost_data) revision += kJumpAfterLoss;
  return loaded;
}

}  // namespace muster::store
