// libFuzzer target: hostile recordings that follow the format (profile/hostile_recording.h). The
// input determines their metadata, constants and events. For random bytes there is jfr_fuzz.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "formats/recording_check.h"
#include "profile/hostile_recording.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string fault =
      jprof::test::CheckRecording(jprof::test::HostileRecording({data, size}));
  if (fault.empty()) return 0;
  std::fprintf(stderr, "%s\n", fault.c_str());
  abort();
}
