// A library whose loading takes as long as the test wants. The library's constructor reports that
// it has begun, and waits for a byte.
#include <unistd.h>

#include <cstdlib>

namespace {

int Number(const char* text) { return static_cast<int>(strtol(text, nullptr, 10)); }

__attribute__((constructor)) void AwaitByte() {
  const char* begun = getenv("JPROF_TEST_GATE_BEGUN");
  const char* gate = getenv("JPROF_TEST_GATE");
  if (begun == nullptr || gate == nullptr) return;
  char byte = 0;
  if (write(Number(begun), &byte, 1) != 1) abort();
  if (read(Number(gate), &byte, 1) != 1) abort();
}

}  // namespace
