#include "linux/nvml.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <array>

#include "base/strings.h"

namespace muster::linux_os {
namespace {

// The part of NVML's interface that we use, as its header declares it. It has not changed since version 5, but for what
// says so.
using Device = struct DeviceOfNvml*;
struct MemoryInfo {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
/// Since driver 510. In the older one, what the driver keeps for itself counts as used.
struct MemoryInfo2 {
  unsigned version;
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;
};
constexpr unsigned kMemoryInfo2Version = sizeof(MemoryInfo2) | (2U << 24);
struct UtilisationRates {
  unsigned gpu;
  unsigned memory;
};
constexpr int kSuccess = 0;
constexpr unsigned kTextSize = 96;  // the longest of NVML's texts

struct Functions {
  int (*init)();
  int (*shutdown)();
  const char* (*error_string)(int);
  int (*device_count)(unsigned*);
  int (*device_by_index)(unsigned, Device*);
  int (*device_by_uuid)(const char*, Device*);
  int (*uuid)(Device, char*, unsigned);
  int (*minor_number)(Device, unsigned*);
  int (*name)(Device, char*, unsigned);
  int (*memory_info)(Device, MemoryInfo*);
  int (*memory_info_2)(Device, MemoryInfo2*);  // null with an older driver
  int (*utilisation_rates)(Device, UtilisationRates*);
};

template <typename Function>
bool find(void* library, const char* name, Function& to) {
  to = reinterpret_cast<Function>(::dlsym(library, name));
  return to != nullptr;
}

bool find_all(void* library, Functions& to) {
  find(library, "nvmlDeviceGetMemoryInfo_v2", to.memory_info_2);
  return find(library, "nvmlInit_v2", to.init) && find(library, "nvmlShutdown", to.shutdown) &&
         find(library, "nvmlErrorString", to.error_string) && find(library, "nvmlDeviceGetCount_v2", to.device_count) &&
         find(library, "nvmlDeviceGetHandleByIndex_v2", to.device_by_index) &&
         find(library, "nvmlDeviceGetHandleByUUID", to.device_by_uuid) && find(library, "nvmlDeviceGetUUID", to.uuid) &&
         find(library, "nvmlDeviceGetMinorNumber", to.minor_number) && find(library, "nvmlDeviceGetName", to.name) &&
         find(library, "nvmlDeviceGetMemoryInfo", to.memory_info) &&
         find(library, "nvmlDeviceGetUtilizationRates", to.utilisation_rates);
}

class Nvml final : public GpuDriver {
 public:
  Nvml(void* library, const Functions& functions) : library_(library), functions_(functions) {}
  ~Nvml() override {
    if (is_ready_) functions_.shutdown();
    ::dlclose(library_);
  }

  Status init() {
    TRY(check("nvmlInit", functions_.init()));
    is_ready_ = true;
    return ok();
  }

  Result<std::vector<Gpu>> devices() override {
    unsigned count = 0;
    TRY(check("nvmlDeviceGetCount", functions_.device_count(&count)));
    std::vector<Gpu> gpus;
    for (unsigned index = 0; index < count; ++index) {
      auto gpu = describe(index);
      if (!gpu) return in_context(fmt::format("GPU {}", index), std::move(gpu).error());
      gpus.push_back(*std::move(gpu));
    }
    return gpus;
  }

  Result<GpuUse> use(const std::string& uuid) override {
    Device device{};
    UtilisationRates rates{};
    TRY(check("nvmlDeviceGetHandleByUUID", functions_.device_by_uuid(uuid.c_str(), &device)));
    TRY_ASSIGN(const std::int64_t memory, used_memory(device));
    TRY(check("nvmlDeviceGetUtilizationRates", functions_.utilisation_rates(device, &rates)));
    return GpuUse{.utilisation = static_cast<double>(rates.gpu), .memory = memory};
  }

 private:
  Status check(const char* call, int code) const {
    if (code == kSuccess) return ok();
    return Error{.reason = Reason::kServiceUnavailable,
                 .message = fmt::format("{}: {}", call, functions_.error_string(code))};
  }

  Result<std::int64_t> used_memory(Device device) const {
    MemoryInfo2 newer{.version = kMemoryInfo2Version, .total = 0, .reserved = 0, .free = 0, .used = 0};
    if (functions_.memory_info_2 != nullptr && functions_.memory_info_2(device, &newer) == kSuccess) {
      return static_cast<std::int64_t>(newer.used);
    }
    MemoryInfo older{};
    TRY(check("nvmlDeviceGetMemoryInfo", functions_.memory_info(device, &older)));
    return static_cast<std::int64_t>(older.used);
  }

  Result<Gpu> describe(unsigned index) const {
    Device device{};
    unsigned minor = 0;
    MemoryInfo memory{};
    std::array<char, kTextSize> uuid{}, name{};
    TRY(check("nvmlDeviceGetHandleByIndex", functions_.device_by_index(index, &device)));
    TRY(check("nvmlDeviceGetUUID", functions_.uuid(device, uuid.data(), uuid.size())));
    TRY(check("nvmlDeviceGetMinorNumber", functions_.minor_number(device, &minor)));
    TRY(check("nvmlDeviceGetName", functions_.name(device, name.data(), name.size())));
    TRY(check("nvmlDeviceGetMemoryInfo", functions_.memory_info(device, &memory)));
    return Gpu{.uuid = uuid.data(),
               .minor = static_cast<int>(minor),
               .name = name.data(),
               .memory = static_cast<std::int64_t>(memory.total)};
  }

  void* library_;
  Functions functions_;
  bool is_ready_ = false;
};

}  // namespace

Result<std::shared_ptr<GpuDriver>> load_nvml(const std::string& library) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = ::dlerror();
    return Error{.reason = Reason::kNotFound, .message = why != nullptr ? why : library};
  }
  Functions functions{};
  const bool is_complete = find_all(handle, functions);
  const auto driver = std::make_shared<Nvml>(handle, functions);
  if (!is_complete)
    return Error{.reason = Reason::kServiceUnavailable,
                 .message = quote(library) + ": a function is missing; is the driver older than 2013?"};
  TRY(driver->init());
  return std::shared_ptr<GpuDriver>(driver);
}

}  // namespace muster::linux_os
