// Properties that hold for every document. On failure rapidcheck prints the smallest counterexample and the RC_PARAMS
// to replay it.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "json/document.h"
#include "json/excerpt.h"
#include "json/patch.h"
#include "json/yaml.h"

namespace muster::json {

void showValue(const Document& document, std::ostream& out) {
  out << serialize(document);
}

namespace {

rc::Gen<std::string> any_text() {
  // Texts are built from pieces that have a meaning in one of the formats, with plain letters between them.
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
                          "a", "b", "true", "no", "null", "~", "0", "1", ".", "e", "x", " ", " ", "\n", "\n\n", "\t",
                          ":", ": ", "#", " #", "-", "- ", "?", "\"", "'", "\\", "[", "]", "{", "}", ",", "&", "*", "!",
                          "|", ">", "%", "@", "`", "<<", "=", "---", "...", "\r", "\x01", "\x7f", "é", "😀", "\xc2\x85",
                          "\xe2\x80\xa8", "\xef\xbb\xbf", "2026-11-15", "_", "+", "/")),
                      [](const std::vector<std::string>& pieces) {
                        std::string text;
                        for (const std::string& piece : pieces) text += piece;
                        return text;
                      });
}

rc::Gen<Document> any_scalar() {
  return rc::gen::oneOf(rc::gen::just(Document()),
                        rc::gen::map(rc::gen::arbitrary<bool>(), [](bool v) { return Document(v); }),
                        rc::gen::map(rc::gen::arbitrary<std::int64_t>(), [](std::int64_t v) { return Document(v); }),
                        // Whole doubles are read back as integers by design, so they are left out.
                        rc::gen::map(rc::gen::suchThat(rc::gen::arbitrary<double>(),
                                                       [](double v) { return std::isfinite(v) && v != std::trunc(v); }),
                                     [](double v) { return Document(v); }),
                        rc::gen::map(any_text(), [](std::string v) { return Document(std::move(v)); }));
}

rc::Gen<Document> any_document(int depth) {
  if (depth == 0) return any_scalar();
  const auto arrays = rc::gen::map(rc::gen::resize(6, rc::gen::container<Array>(any_document(depth - 1))),
                                   [](Array v) { return Document(std::move(v)); });
  const auto member = rc::gen::pair(any_text(), any_document(depth - 1));
  const auto objects =
      rc::gen::map(rc::gen::resize(6, rc::gen::container<std::vector<std::pair<std::string, Document>>>(member)),
                   [](const std::vector<std::pair<std::string, Document>>& members) {
                     Object object;
                     for (const auto& [key, value] : members) object.set(key, value);
                     return Document(std::move(object));
                   });
  return rc::gen::oneOf(any_scalar(), arrays, objects);
}

bool has_null_member(const Document& document) {
  if (!document.is_object()) return false;
  for (const Member& member : document.as_object()) {
    if (member.value.is_null() || has_null_member(member.value)) return true;
  }
  return false;
}

RC_GTEST_PROP(JsonProperty, ParseUndoesSerialize, ()) {
  const Document document = *any_document(3);
  const Result<Document> parsed = parse(serialize(document));
  RC_ASSERT(parsed.has_value());
  RC_ASSERT(*parsed == document);
  RC_ASSERT(*parse(serialize_pretty(document)) == document);
  RC_ASSERT(serialize(*parsed) == serialize(document));
}

RC_GTEST_PROP(JsonProperty, ParseNeverFailsBadly, ()) {
  const std::string text = *any_text();
  const Result<Document> parsed = parse(text);
  if (parsed) RC_ASSERT(*parse(serialize(*parsed)) == *parsed);
}

RC_GTEST_PROP(ExcerptProperty, AgreesWithParsing, ()) {
  const Document value = *any_document(3);
  Object object;
  object.append("before", *any_document(3));
  object.append("wanted", value);
  object.append("after", *any_document(2));
  const Document whole(Object{object});
  for (const std::string& text : {serialize(whole), serialize_pretty(whole)}) {
    const Result<Document> found = Excerpt({"wanted", "absent"}).read(text);
    RC_ASSERT(found.has_value());
    RC_ASSERT(*found->find("wanted") == value);
    RC_ASSERT(found->as_object().size() == 1u);
  }
}

RC_GTEST_PROP(ExcerptProperty, NeverFailsBadly, ()) {
  const Result<Document> found = Excerpt({"a", "b.a"}).read("{\"" + *any_text());
  if (found) RC_ASSERT(found->is_object());
}

RC_GTEST_PROP(YamlProperty, ParseUndoesWrite, ()) {
  const Document document = *any_document(3);
  const std::string text = to_yaml(document);
  RC_LOG() << text;
  const auto parsed = parse_yaml(text);
  if (!parsed) RC_FAIL(parsed.error().message);
  if (document.is_null()) {
    RC_ASSERT(parsed->empty());
  } else {
    RC_ASSERT(parsed->size() == 1U);
    RC_ASSERT((*parsed)[0].value == document);
    RC_ASSERT((*parsed)[0].warnings.empty());
  }
}

RC_GTEST_PROP(YamlProperty, JsonIsYaml, ()) {
  const Document document = *any_document(2);
  RC_PRE(document.is_object());
  const auto parsed = parse_yaml(serialize_pretty(document));
  if (!parsed) RC_FAIL(parsed.error().message);
  RC_ASSERT(parsed->size() == 1U);
  RC_ASSERT((*parsed)[0].value == document);
}

RC_GTEST_PROP(YamlProperty, ParseNeverFailsBadly, ()) {
  const std::string text = *any_text();
  const auto parsed = parse_yaml(text);
  if (!parsed) RC_ASSERT(parsed.error().message.starts_with("line "));
}

RC_GTEST_PROP(MergePatchProperty, IsIdempotent, ()) {
  Document once = *any_document(3);
  const Document patch = *any_document(3);
  merge_patch(once, patch);
  Document twice = once;
  merge_patch(twice, patch);
  RC_ASSERT(twice == once);
}

RC_GTEST_PROP(MergePatchProperty, OfNothingGivesThePatchItself, ()) {
  const Document patch = *any_document(3);
  RC_PRE(!has_null_member(patch));
  Document target;
  merge_patch(target, patch);
  RC_ASSERT(target == patch);
}

RC_GTEST_PROP(MergePatchProperty, OfAnEmptyObjectChangesNoObject, ()) {
  const Document document = *any_document(3);
  RC_PRE(document.is_object());
  Document target = document;
  merge_patch(target, Object{});
  RC_ASSERT(target == document);
}

}  // namespace
}  // namespace muster::json
