// volume: makes claims and moves files in and out of them, whether a pod uses them or not.
#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "api/muster/names.h"
#include "base/quantity.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/output/table.h"
#include "cli/volumes/volume_copy.h"
#include "node/claim_files.h"

namespace muster::cli {

namespace {

const client::ResourceName kClaims{"", "v1", "persistentvolumeclaims"};

/// NAME[:PATH]
struct VolumePlace {
  std::string claim;  // "": on this machine
  std::string path;
  bool has_path = false;
};

/// Something with a slash or a dot before the colon is a file of this machine.
VolumePlace parse_volume_place(const std::string& word) {
  const std::size_t colon = word.find(':');
  const std::string claim = word.substr(0, colon);
  if (colon == std::string::npos || claim.empty() || claim.starts_with('.') || claim.find('/') != std::string::npos) {
    return {.claim = "", .path = word, .has_path = true};
  }
  std::string path = word.substr(colon + 1);
  path.erase(0, path.find_first_not_of('/') == std::string::npos ? path.size() : path.find_first_not_of('/'));
  return {.claim = claim, .path = path, .has_path = true};
}

/// The same where a word without a colon is a claim.
VolumePlace parse_claim_place(const std::string& word) {
  if (word.find(':') == std::string::npos) return {.claim = word, .path = "", .has_path = false};
  return parse_volume_place(word);
}

std::string used_text(const json::Document& claim) {
  const auto bytes = parse_int(claim.string_at("metadata", "annotations", node::kUsedAnnotation));
  return bytes ? human_bytes(*bytes) : "-";
}

std::vector<std::string> claim_row(const json::Document& claim, Time now) {
  const auto made = parse_rfc3339(claim.string_at("metadata", "creationTimestamp"));
  const std::string& phase = claim.string_at("status", "phase");
  const std::string& folder = claim.string_at("metadata", "annotations", api::kPathAnnotation);
  const bool is_deleted = claim.at("metadata", "deletionTimestamp") != nullptr;
  return {claim.string_at("metadata", "name"),
          is_deleted ? "Terminating" : phase,
          claim.string_at("spec", "resources", "requests", "storage"),
          used_text(claim),
          folder.empty() ? "-" : folder,
          made ? human_duration(now - *made) : "-"};
}

class Volume final : public Command {
 public:
  explicit Volume(RunFrom from) : from_(std::move(from)) {}

  void add_flags(Flags& flags) override {
    flags.add("size", &size_, "create: capacity of the volume");
    flags.add("path", &path_, "create: use this folder of the engine's machine instead of a new one");
    flags.add("recursive", &recursive_, "rm: remove folders with their contents", 'r');
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    if (words.empty()) return session.fail(usage_failure("name an action: create, ls, cp or rm", kHelp));
    const std::string& verb = words[0];
    const std::vector<std::string> rest(words.begin() + 1, words.end());
    if (verb == "create") return create(session, rest);
    if (verb == "ls" || verb == "list") return list(session, rest);
    if (verb == "cp") return copy(session, rest);
    if (verb == "rm") return remove(session, rest);
    Failure failure = usage_failure(fmt::format("unknown word {}", quote(verb)), kHelp);
    if (const auto meant = did_you_mean(verb, {"create", "ls", "cp"}))
      failure.what += fmt::format("; did you mean {}?", quote(*meant));
    return session.fail(failure);
  }

 private:
  static constexpr const char* kHelp = "muster help volume";

  int create(Session& session, const std::vector<std::string>& words) const {
    if (words.size() != 1) return session.fail(usage_failure("create takes one name", "muster volume create NAME"));
    if (!Quantity::parse(size_)) {
      return session.fail(usage_failure(fmt::format("--size: must be a quantity such as 10Gi, got {}", quote(size_))));
    }
    json::Object metadata{{"name", words[0]}};
    if (!path_.empty()) metadata.append("annotations", json::Object{{api::kPathAnnotation, whole_path()}});
    const json::Document claim = json::Object{
        {"apiVersion", "v1"},
        {"kind", "PersistentVolumeClaim"},
        {"metadata", std::move(metadata)},
        {"spec", json::Object{{"accessModes", json::Array{"ReadWriteMany"}},
                              {"resources", json::Object{{"requests", json::Object{{"storage", size_}}}}}}}};
    const auto created = session.await(
        [&](client::OnDocument done) { session.api().create(kClaims, session.ns(), claim, {}, std::move(done)); });
    if (!created) return session.fail(of_path(created.error()));
    session.out(fmt::format("persistentvolumeclaim {} created\n", quote(words[0])));
    return kExitOk;
  }

  /// A shell leaves the `~` in `--path=~/data` as it is.
  std::string whole_path() const {
    std::filesystem::path path = path_;
    if (path_ == "~" || path_.starts_with("~/")) path = from_.home + path_.substr(1);
    std::string whole = (from_.working_dir / path).lexically_normal().string();
    if (whole.size() > 1 && whole.ends_with('/')) whole.pop_back();
    return whole;
  }

  /// What the server says about the annotation is about the flag.
  Error of_path(const Error& error) const {
    for (const FieldCause& cause : error.causes) {
      if (!cause.field.ends_with(api::kPathAnnotation)) continue;
      constexpr std::string_view kKind = "Invalid value: ";
      const std::string what = cause.message.starts_with(kKind) ? cause.message.substr(kKind.size()) : cause.message;
      return {.reason = error.reason, .message = "--path: " + what};
    }
    return error;
  }

  static int list(Session& session, const std::vector<std::string>& words) {
    if (words.size() > 1) return session.fail(usage_failure("ls takes one volume", "muster volume ls NAME:PATH"));
    return words.empty() ? list_claims(session) : list_files(session, parse_claim_place(words[0]));
  }

  static int list_claims(Session& session) {
    const auto claims = session.list(kClaims, session.ns(), {});
    if (!claims) return session.fail(claims.error());
    if (claims->array_at("items").empty()) {
      session.err(fmt::format("No volumes in namespace {}.\n", session.ns()));
      return kExitOk;
    }
    std::vector<std::vector<std::string>> rows{{"NAME", "STATUS", "SIZE", "USED", "FOLDER", "AGE"}};
    for (const json::Document& claim : claims->array_at("items"))
      rows.push_back(claim_row(claim, session.loop().now()));
    session.out(Columns({.width = session.terminal().width}).lines(rows));
    return kExitOk;
  }

  static int list_files(Session& session, const VolumePlace& place) {
    if (place.claim.empty()) return session.fail(usage_failure("name a volume", "muster volume ls NAME:PATH"));
    VolumeFiles files(session, session.ns(), place.claim);
    const auto found = files.stat(place.path);
    if (!found) return session.fail(found.error());
    auto entries = found->is_folder() ? files.list(place.path) : std::vector<VolumeFile>{*found};
    if (!entries) return session.fail(entries.error());
    std::vector<std::vector<std::string>> rows{{"MODE", "SIZE", "MODIFIED", "NAME"}};
    for (const VolumeFile& file : *entries) {
      rows.push_back({fmt::format("{:04o}", file.mode), file.type == "file" ? human_bytes(file.size) : "-",
                      file.modified.substr(0, file.modified.find('.')), file.name + (file.is_folder() ? "/" : "")});
    }
    session.out(Columns({.width = 0, .whole = rows[0].size()}).lines(rows));
    return kExitOk;
  }

  static int copy(Session& session, const std::vector<std::string>& words) {
    if (words.size() != 2) return session.fail(usage_failure("give one source and one destination", kHelp));
    const VolumePlace from = parse_volume_place(words[0]);
    const VolumePlace to = parse_volume_place(words[1]);
    if (from.claim.empty() == to.claim.empty()) {
      return session.fail(usage_failure("one of the two must be in a volume, as NAME:PATH, and the other here", kHelp));
    }
    std::signal(SIGPIPE, SIG_IGN);  // a reader of stdout that ends early is an error of the write
    VolumeFiles files(session, session.ns(), from.claim.empty() ? to.claim : from.claim);
    VolumeCopy copy(session, files);
    const Status done = from.claim.empty() ? copy.upload(from.path, to.path) : copy.download(from.path, to.path);
    return done ? kExitOk : session.fail(done.error());
  }

  int remove(Session& session, const std::vector<std::string>& words) const {
    if (words.size() != 1) return session.fail(usage_failure("rm takes one volume or one path", kHelp));
    const VolumePlace place = parse_claim_place(words[0]);
    if (place.claim.empty()) return session.fail(usage_failure("name a volume", "muster volume rm NAME:PATH"));
    if (!place.has_path) return delete_claim(session, place.claim);
    if (place.path.empty()) {
      return session.fail(usage_failure("name a file or folder in the volume",
                                        fmt::format("the volume itself: muster volume rm {}", place.claim)));
    }
    VolumeFiles files(session, session.ns(), place.claim);
    const auto depth = recursive_ ? VolumeFiles::Depth::kAll : VolumeFiles::Depth::kOne;
    const Status removed = files.remove(place.path, depth);
    if (removed) return kExitOk;
    Failure failure = failure_of(removed.error());
    if (removed.error().reason == Reason::kConflict && !recursive_) {
      failure = {.code = kExitConflict,
                 .what = fmt::format("{}: the folder is not empty", words[0]),
                 .fix = fmt::format("muster volume rm -r {}", words[0])};
    }
    return session.fail(failure);
  }

  /// As `muster delete` does it, which waits until the claim is gone.
  static int delete_claim(Session& session, const std::string& name) {
    return make_delete()->run(session, {"persistentvolumeclaim", name});
  }

  RunFrom from_;
  std::string size_ = "10Gi";
  std::string path_;
  bool recursive_ = false;
};

}  // namespace

std::unique_ptr<Command> make_volume() {
  return make_volume(run_from_here());
}

std::unique_ptr<Command> make_volume(RunFrom from) {
  return std::make_unique<Volume>(std::move(from));
}

}  // namespace muster::cli
