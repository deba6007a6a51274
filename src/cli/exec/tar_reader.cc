#include "cli/exec/tar_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace muster::cli {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::int64_t kLongestExtension = std::int64_t{1} << 20;
constexpr std::int64_t kMostBytesAfterEnd = std::int64_t{1} << 20;  // GNU tar fills up its last record with zeros

/// A field of a header.
struct Field {
  std::size_t at;
  std::size_t size;
};
constexpr Field kName{0, 100};
constexpr Field kMode{100, 8};
constexpr Field kSize{124, 12};
constexpr Field kChecksum{148, 8};
constexpr std::size_t kType = 156;
constexpr Field kLink{157, 100};
constexpr Field kMagic{257, 6};
constexpr Field kPrefix{345, 155};

Error broken(std::string_view what) {
  return {.reason = Reason::kBadRequest,
          .message = fmt::format("archive from the container: {}; the tar program there is broken or hostile, copy "
                                 "from another container or through a volume",
                                 what)};
}

std::string_view raw(const std::string& block, Field field) {
  return std::string_view(block).substr(field.at, field.size);
}

std::string text_in(const std::string& block, Field field) {
  const std::string_view bytes = raw(block, field);
  return std::string(bytes.substr(0, bytes.find('\0')));
}

/// Octal digits, or bytes with the highest bit of the first one set. Nullopt when it is neither, negative or too large.
std::optional<std::int64_t> number_in_field(std::string_view bytes) {
  std::uint64_t value = 0;
  if ((static_cast<unsigned char>(bytes[0]) & 0x80) != 0) {
    if (static_cast<unsigned char>(bytes[0]) != 0x80) return std::nullopt;
    for (const char c : bytes.substr(1)) {
      if (value >> 55 != 0) return std::nullopt;
      value = value << 8 | static_cast<unsigned char>(c);
    }
    return static_cast<std::int64_t>(value);
  }
  std::string_view digits = bytes.substr(0, bytes.find('\0'));
  while (digits.starts_with(' ')) digits.remove_prefix(1);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  for (const char c : digits) {
    if (c < '0' || c > '7') return std::nullopt;
    value = value << 3 | static_cast<unsigned>(c - '0');
  }
  return static_cast<std::int64_t>(value);
}

/// The sum of the header's bytes, with blanks for the checksum itself.
std::int64_t checksum_of(const std::string& block) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const bool is_own = i >= kChecksum.at && i < kChecksum.at + kChecksum.size;
    sum += is_own ? ' ' : static_cast<unsigned char>(block[i]);
  }
  return sum;
}

/// Returns what an entry is that is not copied; "" for a type that no tar program writes.
std::string_view other_thing(char type) {
  switch (type) {
    case '2':
      return "a symbolic link";
    case '3':
    case '4':
      return "a device";
    case '6':
      return "a pipe";
    default:
      return "";
  }
}

/// Takes up to `count` bytes off the front.
std::string_view cut_front(std::string_view& bytes, std::int64_t count) {
  const auto size = static_cast<std::size_t>(std::min(count, static_cast<std::int64_t>(bytes.size())));
  const std::string_view front = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return front;
}

}  // namespace

Status TarReader::read(std::string_view bytes) {
  while (!bytes.empty()) {
    if (is_over_) {
      bytes_after_end_ += static_cast<std::int64_t>(bytes.size());
      if (bytes_after_end_ > kMostBytesAfterEnd) return broken("does not stop after its end");
      return ok();
    }
    if (content_left_ > 0) {
      const std::string_view part = cut_front(bytes, content_left_);
      content_left_ -= static_cast<std::int64_t>(part.size());
      TRY(take_content(part));
      if (content_left_ == 0) TRY(end_content());
    } else if (padding_left_ > 0) {
      padding_left_ -= static_cast<std::int64_t>(cut_front(bytes, padding_left_).size());
    } else {
      block_ += cut_front(bytes, static_cast<std::int64_t>(kBlock - block_.size()));
      if (block_.size() < kBlock) return ok();
      TRY(take_header());
      block_.clear();
    }
  }
  return ok();
}

Status TarReader::finish() const {
  return is_over_ ? ok() : broken("is cut off before its end");
}

Status TarReader::take_header() {
  if (std::ranges::all_of(block_, [](char c) { return c == '\0'; })) {
    is_over_ = true;
    return ok();
  }
  if (number_in_field(raw(block_, kChecksum)) != checksum_of(block_)) return broken("a header has a wrong checksum");
  std::string name = text_in(block_, kName);
  const std::string prefix = raw(block_, kMagic) == std::string_view("ustar\0", 6) ? text_in(block_, kPrefix) : "";
  if (!prefix.empty()) name = prefix + "/" + name;
  const auto mode = number_in_field(raw(block_, kMode));
  const auto size = number_in_field(raw(block_, kSize));
  if (!size || !mode) {
    return broken(fmt::format("{}: size and mode must be numbers of at least 0, got {} and {}", quote(name),
                              quote(raw(block_, kSize)), quote(raw(block_, kMode))));
  }
  mode_ = static_cast<unsigned>(*mode & 0777);
  const char type = block_[kType];
  switch (type) {
    case 'x':
      return begin_extension(Content::kPax, *size);
    case 'g':
      return begin_extension(Content::kIgnored, *size);
    case 'L':
      return begin_extension(Content::kLongName, *size);
    case 'K':
      return begin_extension(Content::kLongLink, *size);
    default:
      return take_entry(type, std::exchange(next_name_, {}).value_or(std::move(name)),
                        std::exchange(next_link_, {}).value_or(text_in(block_, kLink)),
                        std::exchange(next_size_, {}).value_or(*size));
  }
}

Status TarReader::take_entry(char type, std::string name, std::string link, std::int64_t size) {
  TarEntry entry{.name = std::move(name), .link_target = std::move(link), .mode = mode_, .size = size};
  const bool is_file = type == '0' || type == '\0' || type == '7';
  if (type == '5' || (is_file && entry.name.ends_with('/'))) {
    entry.kind = TarEntry::Kind::kFolder;
  } else if (type == '1') {
    entry.kind = TarEntry::Kind::kHardLink;
  } else if (!is_file) {
    entry.kind = TarEntry::Kind::kOther;
    entry.what = other_thing(type);
    if (entry.what.empty()) {
      return broken(fmt::format("{}: must be a file or a folder, got type {}", quote(entry.name),
                                quote(std::string_view(&type, 1))));
    }
  }
  const bool has_content = entry.kind == TarEntry::Kind::kFile;
  if (!has_content && size != 0) {
    return broken(fmt::format("{}: only files have content, got {} bytes", quote(entry.name), size));
  }
  TRY(sink_.begin(entry));
  if (!has_content) return ok();
  expect_content(Content::kFile, size);
  return size == 0 ? sink_.end() : ok();
}

Status TarReader::begin_extension(Content content, std::int64_t size) {
  if (size == 0 || size > kLongestExtension) {
    return broken(fmt::format("an extended header must have 1 to {} bytes, got {}", kLongestExtension, size));
  }
  extension_.clear();
  expect_content(content, size);
  return ok();
}

void TarReader::expect_content(Content content, std::int64_t size) {
  content_ = content;
  content_left_ = size;
  padding_left_ = static_cast<std::int64_t>((kBlock - static_cast<std::uint64_t>(size) % kBlock) % kBlock);
}

Status TarReader::take_content(std::string_view bytes) {
  if (content_ == Content::kFile) return sink_.data(bytes);
  extension_ += bytes;
  return ok();
}

Status TarReader::end_content() {
  switch (content_) {
    case Content::kFile:
      return sink_.end();
    case Content::kPax:
      return take_pax(extension_);
    case Content::kLongName:
      next_name_ = extension_.substr(0, extension_.find('\0'));
      return ok();
    case Content::kLongLink:
      next_link_ = extension_.substr(0, extension_.find('\0'));
      return ok();
    default:
      return ok();
  }
}

/// Records of "LENGTH KEY=VALUE\n", where the length counts the whole record.
Status TarReader::take_pax(std::string_view records) {
  while (!records.empty()) {
    const std::size_t blank = std::min(records.find(' '), records.size());
    const auto length = parse_int(records.substr(0, blank));
    if (!length || *length <= static_cast<std::int64_t>(blank) + 1 ||
        *length > static_cast<std::int64_t>(records.size()) || records[static_cast<std::size_t>(*length) - 1] != '\n') {
      return broken(fmt::format("a record of a pax header has a wrong length, got {}",
                                quote(records.substr(0, std::min<std::size_t>(blank, 20)))));
    }
    const std::string_view record = cut_front(records, *length).substr(blank + 1);
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos) return broken("a record of a pax header has no value");
    const std::string_view key = record.substr(0, equals);
    const std::string_view value = record.substr(equals + 1, record.size() - equals - 2);
    if (key.starts_with("GNU.sparse.")) return broken("sparse files are not supported");
    if (key == "path") next_name_ = value;
    if (key == "linkpath") next_link_ = value;
    if (key != "size") continue;
    next_size_ = parse_int(value);
    if (!next_size_ || *next_size_ < 0) {
      return broken(fmt::format("the size in a pax header must be a number of at least 0, got {}", quote(value)));
    }
  }
  return ok();
}

}  // namespace muster::cli
