// A library with NVML's interface and two devices, of which the second is /dev/nvidia7.
#include <cstdio>
#include <cstring>

namespace {
constexpr int kNotFound = 6;
struct Fake {
  const char* uuid;
  unsigned minor;
};
Fake g_devices[] = {{"GPU-aaaa", 0}, {"GPU-bbbb", 7}};  // NOLINT: handles point into it

int put(const char* text, char* to, unsigned size) {
  std::snprintf(to, size, "%s", text);
  return 0;
}
}  // namespace

extern "C" {
int nvmlInit_v2() {
  return 0;
}
int nvmlShutdown() {
  return 0;
}
const char* nvmlErrorString(int code) {
  return code == kNotFound ? "Not Found" : "Unknown Error";
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Fake** device) {
  *device = &g_devices[index];
  return 0;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, Fake** device) {
  for (Fake& fake : g_devices) {
    if (std::strcmp(fake.uuid, uuid) == 0) {
      *device = &fake;
      return 0;
    }
  }
  return kNotFound;
}
int nvmlDeviceGetUUID(Fake* device, char* to, unsigned size) {
  return put(device->uuid, to, size);
}
int nvmlDeviceGetMinorNumber(Fake* device, unsigned* minor) {
  *minor = device->minor;
  return 0;
}
int nvmlDeviceGetName(Fake*, char* to, unsigned size) {
  return put("Fake GPU", to, size);
}
int nvmlDeviceGetMemoryInfo(Fake*, unsigned long long* memory) {
  memory[0] = 1000;
  memory[1] = 600;
  memory[2] = 400;
  return 0;
}
/// Only the second device's driver is new enough.
int nvmlDeviceGetMemoryInfo_v2(Fake* device, unsigned long long* memory) {
  constexpr unsigned kVersion = 40U | (2U << 24);
  if (device->minor != 7 || static_cast<unsigned>(memory[0]) != kVersion) return kNotFound;
  memory[1] = 1000;
  memory[2] = 100;  // reserved
  memory[3] = 600;
  memory[4] = 300;
  return 0;
}
int nvmlDeviceGetUtilizationRates(Fake* device, unsigned* rates) {
  rates[0] = device->minor == 7 ? 93 : 5;
  rates[1] = 1;
  return 0;
}
}
