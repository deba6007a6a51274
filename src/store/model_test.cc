// Random operations against a model, a plain map. Readers must see exactly what was acknowledged, a watcher must be
// able to rebuild the state from events alone, and a reopened store must be equal.

#include <gmock/gmock.h>

#include "testing/seeded_rng.h"
#include "testing/store_fixture.h"

namespace muster::store {
namespace {

using Objects = std::map<Key, std::string>;

class ModelTest : public StoreTest, public ::testing::WithParamInterface<std::uint64_t> {
 protected:
  void watch_from_now() {
    watched_ = model_;
    for (const std::string& resource : kResources) {
      auto id = store_->watch(resource, store_->revision(), [this](const std::shared_ptr<const Event>& event) {
        EXPECT_GT(event->entry.revision, last_seen_);
        last_seen_ = event->entry.revision;
        EXPECT_EQ(event->type == EventType::kAdded, !watched_.contains(event->key));
        if (event->type == EventType::kDeleted) {
          watched_.erase(event->key);
        } else {
          watched_[event->key] = *event->entry.bytes;
        }
      });
      ASSERT_TRUE(id.has_value());
    }
  }

  Key random_key() {
    return {kResources[rng_.below(kResources.size())], rng_.below(2) == 0 ? "a" : "b",
            fmt::format("n{}", rng_.below(12))};
  }

  /// Issues one write, valid or not, whose outcome the model predicts from what was accepted so far.
  void write_something() {
    const Key key = random_key();
    const auto found = accepted_.find(key);
    const Entry* latest = store_->latest(key);
    ASSERT_EQ(latest != nullptr, found != accepted_.end());
    if (latest != nullptr) {
      ASSERT_EQ(*latest->bytes, found->second);
    }
    const Revision right = latest == nullptr ? 0 : latest->revision;
    const Revision expected = rng_.below(5) == 0 ? rng_.below(3) : right;
    ++under_way_;
    if (rng_.below(4) == 0) return remove_it(key, expected, right);

    std::string bytes;
    const bool accepted = expected == right;
    const auto render = [&](Revision revision) {
      bytes = fmt::format("{}@{}", std::string(rng_.below(6000), 'v'), revision);
      return Rendered{bytes, {}};
    };
    store_->put(key, expected, render, [this, key, accepted](Result<Entry> done) {
      --under_way_;
      EXPECT_EQ(done.has_value(), accepted);
      if (!done) return;
      EXPECT_GT(done->revision, last_acknowledged_);
      last_acknowledged_ = done->revision;
      model_[key] = *done->bytes;
    });
    if (accepted) accepted_[key] = bytes;
  }

  void remove_it(const Key& key, Revision expected, Revision right) {
    const bool accepted = right != 0 && expected == right;
    store_->remove(key, expected, body("final"), [this, key, accepted](Result<Entry> done) {
      --under_way_;
      EXPECT_EQ(done.has_value(), accepted);
      if (!done) return;
      EXPECT_GT(done->revision, last_acknowledged_);
      last_acknowledged_ = done->revision;
      model_.erase(key);
    });
    if (accepted) accepted_.erase(key);
  }

  void expect_use_is_counted() {
    std::map<std::string, Usage, std::less<>> used;
    for (const auto& [key, bytes] : accepted_) {
      ++used[key.ns].objects;
      used[key.ns].bytes += bytes.size();
    }
    EXPECT_EQ(store_->used(), used);
  }

  void expect_store_is_the_model() {
    Objects seen;
    for (const std::string& resource : kResources) {
      std::size_t count = 0;
      store_->scan(resource, "", [&](const Key& key, const Entry& entry) {
        ++count;
        seen[key] = *entry.bytes;
        EXPECT_EQ(store_->get(key), &entry);
      });
      EXPECT_EQ(store_->count(resource), count);
    }
    EXPECT_EQ(seen, model_);
    EXPECT_EQ(watched_, model_);
  }

  /// Every state that was completely visible can be listed again, starting at any name.
  void expect_the_past_can_be_told() {
    for (const auto& [revision, objects] : past_) {
      for (const std::string& resource : kResources) {
        const Key from = random_key();
        Objects expected;
        for (const auto& [key, bytes] : objects) {
          if (key.resource == resource && std::tie(key.ns, key.name) >= std::tie(from.ns, from.name)) {
            expected[key] = bytes;
          }
        }
        Objects seen;
        Key last;
        const auto told =
            store_->scan_at({resource, "", from.ns, from.name}, revision, [&](const Key& key, const Entry& entry) {
              EXPECT_LT(last, key);
              last = key;
              seen[key] = *entry.bytes;
              return true;
            });
        ASSERT_TRUE(told.has_value()) << told.error().message;
        ASSERT_EQ(seen, expected);
      }
    }
  }

  const std::vector<std::string> kResources = {"pods", "secrets", "pytorchjobs.kubeflow.org"};
  testing::SeededRng rng_{GetParam()};
  Objects accepted_;
  Objects model_;
  Objects watched_;
  std::map<Revision, Objects> past_;  // since the store was opened
  Revision last_seen_ = 0;
  Revision last_acknowledged_ = 0;
  int under_way_ = 0;
};

TEST_P(ModelTest, BehavesLikeAMap) {
  options_.checkpoint_pages = 40;
  open();
  watch_from_now();
  for (int step = 0; step < 120 && !HasFailure(); ++step) {
    for (auto writes = rng_.below(30); writes > 0; --writes) write_something();
    expect_use_is_counted();
    switch (rng_.below(6)) {
      case 0:
        reopen();
        ASSERT_EQ(model_, accepted_);  // close waits for accepted writes
        expect_use_is_counted();
        past_.clear();
        watch_from_now();
        break;
      case 1:
        break;  // let more writes accumulate
      case 2:
        loop_.run_posted();
        expect_store_is_the_model();
        break;
      default:
        loop_.run_until([this] { return under_way_ == 0; });
        expect_store_is_the_model();
        EXPECT_EQ(model_, accepted_);
        past_[store_->revision()] = model_;
        expect_the_past_can_be_told();
    }
  }
  loop_.run_until([this] { return under_way_ == 0; });
  expect_store_is_the_model();
  reopen();
  EXPECT_THAT(store_->problems(), ::testing::IsEmpty());
  EXPECT_GE(store_->revision(), last_acknowledged_);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ModelTest, ::testing::Range<std::uint64_t>(1, 9));

}  // namespace
}  // namespace muster::store
