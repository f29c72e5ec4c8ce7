// Any bytes as a recording: reading ends, stays within bounds, and what comes out of it can be
// written. The walk over events also goes through the API by field names.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "formats/convert.h"
#include "profile/jfr/jfr_reader.h"

namespace {

using jprof::profile::JfrEvent;
using jprof::profile::JfrField;
using jprof::profile::JfrType;
using jprof::profile::JfrValue;

class EveryField : public jprof::profile::JfrVisitor {
 public:
  bool Wants(const JfrType& /*type*/) override { return true; }
  void OnEvent(const JfrEvent& event) override {
    if (++events_ > kMaxEvents) return;
    for (const JfrField& field : event.type().fields) Look(event.Field(field.name), 0);
  }

 private:
  static constexpr int kMaxEvents = 200;
  static constexpr int kMaxDepth = 4;

  void Look(const JfrValue& value, int depth) {
    sum_ += static_cast<uint64_t>(value.Long()) + value.String().size() + value.ElementCount();
    sum_ += static_cast<uint64_t>(value.Nanos()) + (value.Double() > 0 ? 1 : 0);
    if (depth == kMaxDepth) return;
    for (const char* name : {"type", "name", "frames", "method", "parent", "string"}) {
      if (const JfrValue inner = value.Field(name)) Look(inner, depth + 1);
    }
    for (uint64_t i = 0; i < 3 && i < value.ElementCount(); ++i) Look(value.Element(i), depth + 1);
  }

  int events_ = 0;
  uint64_t sum_ = 0;
};

// The same file for all inputs: libFuzzer runs them one after the other.
int InputFd() {
  static const int fd = memfd_create("input", MFD_CLOEXEC);
  return fd;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string path = "/proc/self/fd/" + std::to_string(InputFd());
  static const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (ftruncate(InputFd(), 0) != 0 ||
      pwrite(InputFd(), data, size, 0) != static_cast<ssize_t>(size)) {
    abort();
  }
  EveryField visitor;
  const auto read = jprof::profile::ReadJfr(path, visitor);
  const auto page = jprof::ConvertToFd(path, jprof::OutputFormat::kFlameGraph, null);
  const auto text = jprof::ConvertToFd(path, jprof::OutputFormat::kCollapsed, null);
  if (read.ok() != page.ok() || page.ok() != text.ok()) abort();
  return 0;
}
