#include "json/members.h"

#include <iterator>
#include <unordered_set>

namespace muster::json {
namespace {

constexpr std::size_t kFewMembers = 32;

}  // namespace

MemberIndex::MemberIndex(const Object& object) : object_(object) {
  if (object.size() <= kFewMembers) return;
  places_.reserve(object.size());
  for (const Member& member : object) places_.emplace(member.key, places_.size());
}

const Document* MemberIndex::find(std::string_view key) const {
  if (places_.empty()) return object_.find(key);
  const auto found = places_.find(std::string(key));
  return found == places_.end() ? nullptr
                                : &std::next(object_.begin(), static_cast<std::ptrdiff_t>(found->second))->value;
}

Document& MemberIndex::at(Object& object, const std::string& key) {
  CHECK(&object == &object_);
  if (const Document* found = find(key)) return const_cast<Document&>(*found);
  if (places_.empty() && object.size() >= kFewMembers) {
    for (const Member& member : object) places_.emplace(member.key, places_.size());
  }
  if (!places_.empty()) places_.emplace(key, object.size());
  return object.append(key, Document());
}

void erase_members(Object& object, const std::vector<std::string>& keys) {
  if (keys.empty()) return;
  if (keys.size() == 1) {
    object.erase(keys.front());
    return;
  }
  const std::unordered_set<std::string_view> gone(keys.begin(), keys.end());
  std::vector<Member> kept;
  for (Member& member : object) {
    if (!gone.contains(member.key)) kept.push_back(std::move(member));
  }
  object = Object(std::move(kept));
}

}  // namespace muster::json
