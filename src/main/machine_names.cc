#include "main/machine_names.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "base/fd.h"
#include "base/files.h"
#include "base/strings.h"

namespace muster {
namespace {

void add_once(std::vector<std::string>& names, std::string name) {
  if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
}

/// Returns "" for an address that other machines cannot use.
std::string text_of(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.sa_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(address);
    ::inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size());
  } else if (address.sa_family == AF_INET6) {
    const auto& six = reinterpret_cast<const sockaddr_in6&>(address);
    if (IN6_IS_ADDR_LINKLOCAL(&six.sin6_addr)) return "";
    ::inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size());
  }
  return text.data();
}

/// Returns the source address of the route to the outside; "" without one. Connecting a UDP socket sends nothing.
std::string source_address() {
  const Fd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);
  ::inet_pton(AF_INET, "192.0.2.1", &address.sin_addr);  // of nobody (RFC 5737)
  socklen_t length = sizeof address;
  if (!fd || ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0 ||
      ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    return "";
  }
  return text_of(reinterpret_cast<const sockaddr&>(address));
}

}  // namespace

bool is_anywhere(std::string_view host) {
  return host == "0.0.0.0" || host == "::";
}

std::vector<std::string> names_of_host(const std::string& host_name, std::string_view hosts) {
  std::vector<std::string> names{to_lower(host_name)};
  for (const std::string& line : split(hosts, '\n')) {
    std::vector<std::string> words;
    for (const std::string& part : split(line.substr(0, line.find('#')), ' ')) {
      for (const std::string& word : split(part, '\t')) {
        if (!trim(word).empty()) words.push_back(to_lower(trim(word)));
      }
    }
    if (words.size() < 2 || std::find(words.begin() + 1, words.end(), names.front()) == words.end()) continue;
    for (std::size_t i = 1; i < words.size(); ++i) add_once(names, words[i]);
  }
  return names;
}

std::vector<std::string> interface_addresses() {
  std::vector<std::string> addresses;
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return addresses;
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    const bool is_up = (one->ifa_flags & IFF_UP) != 0 && (one->ifa_flags & IFF_LOOPBACK) == 0;
    if (is_up && one->ifa_addr != nullptr) add_once(addresses, text_of(*one->ifa_addr));
  }
  ::freeifaddrs(first);
  std::ranges::sort(addresses);  // the certificate is made again when they differ
  return addresses;
}

std::string reachable_address() {
  if (std::string source = source_address(); !source.empty() && !source.starts_with("127.")) return source;
  const std::vector<std::string> addresses = interface_addresses();
  const auto four =
      std::ranges::find_if(addresses, [](const std::string& a) { return a.find(':') == std::string::npos; });
  if (four != addresses.end()) return *four;
  return addresses.empty() ? "127.0.0.1" : addresses.front();
}

std::vector<std::string> server_names(const std::string& host, const std::string& host_name) {
  std::vector<std::string> names{"127.0.0.1", "localhost", "::1"};
  add_once(names, to_lower(host_name));
  add_once(names, host);
  if (!is_anywhere(host)) return names;
  for (std::string& name : names_of_host(host_name, read_file("/etc/hosts").value_or(""))) {
    add_once(names, std::move(name));
  }
  for (std::string& address : interface_addresses()) add_once(names, std::move(address));
  return names;
}

}  // namespace muster
