// libFuzzer target: whatever the option string is, the parser does not crash, and its errors keep
// their promises.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "options/file_pattern.h"
#include "options/options.h"

namespace {

void RequireOnePrintableLine(const std::string& message) {
  const bool printable =
      std::all_of(message.begin(), message.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (message.empty() || !printable) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(data, data + size);
  const auto options = jprof::ParseOptions(text);
  if (!options.ok()) {
    RequireOnePrintableLine(options.error().message());
    return 0;
  }
  if (!options.value().file) return 0;
  jprof::FilePatternContext context{};
  context.environment = [](const char* name) -> const char* {
    return *name == 'A' ? "x" : nullptr;
  };
  const auto name = jprof::ExpandFilePattern(*options.value().file, context);
  if (!name.ok()) RequireOnePrintableLine(name.error().message());
  return 0;
}
