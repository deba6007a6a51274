// explain: documents a kind and its fields, from the descriptors that the server validates with. Needs no server.
#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "cli/commands/commands.h"

namespace muster::cli {

namespace {

using reflect::FieldDesc;
using reflect::Shape;
using reflect::TypeDesc;

constexpr std::size_t kWidth = 80;

std::string type_name(const TypeDesc& type) {
  if (type.shape == Shape::kObject) return type.name.empty() ? "Object" : type.name;
  if (type.shape == Shape::kArray) return "[]" + type_name(type.element());
  if (type.shape == Shape::kMap) return "map[string]" + type_name(type.element());
  return std::string(shape_names(type.shape).in_explain);
}

/// Returns the object type inside lists and maps, or null when there is none.
const TypeDesc* object_inside(const TypeDesc& type) {
  if (type.shape == Shape::kObject) return &type;
  if (type.shape == Shape::kArray || type.shape == Shape::kMap) return object_inside(type.element());
  return nullptr;
}

std::vector<const FieldDesc*> sorted_fields(const TypeDesc& type) {
  std::vector<const FieldDesc*> out;
  for (const FieldDesc& field : type.fields) out.push_back(&field);
  std::ranges::sort(out, {}, [](const FieldDesc* field) { return field->name; });
  return out;
}

std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out;
  std::string line;
  const auto flush = [&] {
    out += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    if (!line.empty() && indent + line.size() + 1 + word.size() > kWidth) flush();
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty() || out.empty()) flush();
  return out;
}

/// "What the job runs." and "What a job runs." tell nobody anything different.
bool says_the_same(std::string_view a, std::string_view b) {
  const auto words = [](std::string_view text) {
    std::vector<std::string> out = split(to_lower(text), ' ');
    std::erase_if(out, [](const std::string& word) { return word == "a" || word == "an" || word == "the"; });
    return out;
  };
  return words(a) == words(b);
}

std::string field_line(const FieldDesc& field, std::size_t indent) {
  return fmt::format("{:{}}{}\t<{}>{}\n", "", indent, field.name, type_name(field.type()),
                     field.required ? " -required-" : "");
}

/// Describes what restricts the field's value beyond its type.
std::string limits(const FieldDesc& field, std::size_t indent) {
  std::string out;
  const std::string margin(indent, ' ');
  if (!field.one_of.empty()) out += fmt::format("{}enum: {}\n", margin, join(field.one_of, ", "));
  if (field.default_value) out += fmt::format("{}default: {}\n", margin, json::serialize(*field.default_value));
  if (field.min) out += fmt::format("{}minimum: {}\n", margin, *field.min);
  if (field.max) out += fmt::format("{}maximum: {}\n", margin, *field.max);
  if (!field.also_known_as.empty()) {
    out += fmt::format("{}older spelling: {}\n", margin, join(field.also_known_as, ", "));
  }
  if (!field.use_instead.empty()) out += fmt::format("{}deprecated: use {}\n", margin, field.use_instead);
  return out;
}

std::string described_fields(const TypeDesc& type) {
  std::string out;
  for (const FieldDesc* field : sorted_fields(type)) {
    out += field_line(*field, 2) + limits(*field, 2) + wrapped(field->doc, 4) + "\n";
  }
  return out;
}

/// `above` holds the types being listed, so that the recursion ends at a type that contains itself.
std::string all_fields(const TypeDesc& type, std::size_t indent, std::vector<const TypeDesc*>& above) {
  std::string out;
  above.push_back(&type);
  for (const FieldDesc* field : sorted_fields(type)) {
    out += field_line(*field, indent) + limits(*field, indent);
    const TypeDesc* inside = object_inside(field->type());
    if (inside != nullptr && std::ranges::find(above, inside) == above.end()) {
      out += all_fields(*inside, indent + 2, above);
    }
  }
  above.pop_back();
  return out;
}

/// Lists fields that Kubernetes defines in the type and that are stored as written; they have no description here.
std::string other_names(const TypeDesc& type) {
  std::vector<std::string> names = type.known_names;
  if (names.empty()) return "";
  std::ranges::sort(names);
  return "OTHER FIELDS (accepted and kept as written):\n" + wrapped(join(names, ", "), 4) + "\n";
}

struct Asked {
  const api::Resource* resource = nullptr;
  std::vector<std::string> path;
};

Result<Asked> find_resource(const std::string& word, const std::string& api_version) {
  const auto segments = split(word, '.');
  Asked out;
  std::string prefix;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    prefix += (i == 0 ? "" : ".") + segments[i];
    // The longest matching name wins, because the group is part of it: pytorchjobs.kubeflow.org.spec.
    if (const api::Resource* found = api::find_typed(prefix)) {
      out.resource = found;
      out.path.assign(segments.begin() + static_cast<std::ptrdiff_t>(i) + 1, segments.end());
    }
  }
  if (out.resource == nullptr) {
    std::vector<std::string> names;
    for (const api::Resource& resource : api::resources()) {
      names.push_back(resource.plural);
      names.push_back(resource.singular);
    }
    std::string message = fmt::format("there is no resource type {}", quote(segments[0]));
    if (const auto meant = did_you_mean(segments[0], names))
      message += fmt::format("; did you mean {}?", quote(*meant));
    return Error{.reason = Reason::kNotFound, .message = std::move(message)};
  }
  if (api_version.empty() || out.resource->api_version() == api_version) return out;
  const api::Resource* other = api::find_kind(api_version, out.resource->kind);
  if (other == nullptr) {
    return Error{.reason = Reason::kNotFound,
                 .message = fmt::format("there is no {} in {}", out.resource->kind, api_version)};
  }
  out.resource = other;
  return out;
}

class Explain final : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add("recursive", &recursive_, "list all nested fields, without descriptions");
    flags.add("api-version", &api_version_, "group and version, such as kubeflow.org/v1");
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    if (words.size() != 1) {
      return session.fail(usage_failure(words.empty() ? "name a kind" : "explain takes one kind",
                                        "muster explain pj.spec.replicaSpecs"));
    }
    auto asked = find_resource(words[0], api_version_);
    if (!asked) return session.fail(asked.error());
    const FieldDesc* field = nullptr;
    const TypeDesc* type = asked->resource->type;
    // Error messages show the kind as the user typed it, group included, without the path.
    std::string before = words[0];
    for (const std::string& name : asked->path) before.resize(before.size() - name.size() - 1);
    for (const std::string& name : asked->path) {
      const TypeDesc* inside = object_inside(*type);
      field = inside == nullptr ? nullptr : inside->field_or_alias(name);
      if (field == nullptr) return session.fail(no_field(before, name, inside));
      before += "." + name;
      type = &field->type();
    }
    session.out(text(*asked->resource, field, *type));
    return kExitOk;
  }

 private:
  static Failure no_field(const std::string& before, const std::string& name, const TypeDesc* type) {
    Failure out{.code = kExitNotFound,
                .what = fmt::format("{}.{}: field {} does not exist", before, name, quote(name)),
                .fix = fmt::format("muster explain {}", before)};
    if (type == nullptr) {
      out.why = fmt::format("{} has no fields", before);
      return out;
    }
    std::vector<std::string> names;
    for (const FieldDesc& field : type->fields) names.push_back(field.name);
    if (const auto meant = did_you_mean(name, names)) out.what += fmt::format("; did you mean {}?", quote(*meant));
    return out;
  }

  std::string text(const api::Resource& resource, const FieldDesc* field, const TypeDesc& type) const {
    std::string out;
    if (!resource.group.empty()) out += fmt::format("GROUP:      {}\n", resource.group);
    out += fmt::format("KIND:       {}\nVERSION:    {}\n\n", resource.kind, resource.version);
    const TypeDesc* inside = object_inside(type);
    if (field != nullptr) {
      out += fmt::format("FIELD: {} <{}>{}\n\n", field->name, type_name(type), field->required ? " -required-" : "");
      out += limits(*field, 0);
    }
    out += "\nDESCRIPTION:\n";
    if (field != nullptr) out += wrapped(field->doc, 4);
    if (inside != nullptr && (field == nullptr || !says_the_same(inside->doc, field->doc))) {
      out += wrapped(inside->doc, 4);
    }
    out += "\n";
    if (inside == nullptr || inside->fields.empty()) return out;
    std::vector<const TypeDesc*> above;
    out += "FIELDS:\n" + (recursive_ ? all_fields(*inside, 2, above) + "\n" : described_fields(*inside));
    return out + other_names(*inside);
  }

  bool recursive_ = false;
  std::string api_version_;
};

}  // namespace

std::unique_ptr<Command> make_explain() {
  return std::make_unique<Explain>();
}

}  // namespace muster::cli
