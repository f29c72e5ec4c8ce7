// Code that is hard to unwind: frames whose size is known only at run time, realigned and huge
// frames, calls that never return, tail calls, and calls through the procedure linkage table. It is
// compiled with -O2 -fomit-frame-pointer, and so without frame pointers.
#include <alloca.h>
#include <setjmp.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#define NOINLINE __attribute__((noinline))

namespace {

volatile uint64_t sink;
jmp_buf* volatile back;

NOINLINE uint64_t Leaf(const unsigned char* bytes, uint64_t n) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < n; ++i) sum = sum * 31 + bytes[i];
  return sum;
}

NOINLINE uint64_t WithAlloca(uint64_t n) {
  auto* bytes = static_cast<unsigned char*>(alloca(n % 500 + 16));
  memset(bytes, static_cast<int>(n), n % 500 + 16);
  return Leaf(bytes, n % 500 + 16);
}

NOINLINE uint64_t BigFrame(uint64_t n) {
  unsigned char bytes[100000];
  memset(bytes, static_cast<int>(n), 2000);
  return Leaf(bytes, 100) + WithAlloca(n);
}

// Has a realigned frame of variable size. Its CFA is stored in memory (DW_CFA_def_cfa_expression).
NOINLINE uint64_t Realigned(uint64_t n) {
  unsigned char aligned[128] __attribute__((aligned(128)));
  auto* bytes = static_cast<unsigned char*>(alloca(n % 300 + 16));
  memset(aligned, static_cast<int>(n), sizeof aligned);
  memset(bytes, static_cast<int>(n), n % 300 + 16);
  return Leaf(aligned, sizeof aligned) + Leaf(bytes, n % 300 + 16);
}

[[noreturn]] NOINLINE void Leave(uint64_t n) {
  sink = sink + WithAlloca(n);
  longjmp(*back, 1);  // NOLINT(cert-err52-cpp)
}

// Ends with a call whose return address lies after the end of the function.
NOINLINE void EndsWithACall(uint64_t n) {
  unsigned char bytes[64];
  memset(bytes, static_cast<int>(n), sizeof bytes);
  sink = sink + Leaf(bytes, sizeof bytes);
  Leave(n);
}

NOINLINE uint64_t CatchesALeaver(uint64_t n) {
  jmp_buf here;
  jmp_buf* const previous = back;
  back = &here;
  if (setjmp(here) == 0) EndsWithACall(n);  // NOLINT(cert-err52-cpp)
  back = previous;
  return sink;
}

NOINLINE uint64_t TailCaller(uint64_t n) {
  sink = sink + n;
  return Realigned(n + 1);
}

NOINLINE uint64_t Recursive(uint64_t n, uint64_t depth) {
  if (depth == 0) return TailCaller(n);
  uint64_t saved[3] = {n, n * 3, n * 5};
  const uint64_t below = Recursive(n + depth, depth - 1);
  return saved[below % 3] + below;
}

int Compare(const void* left, const void* right) {
  const uint32_t a = *static_cast<const uint32_t*>(left);
  const uint32_t b = *static_cast<const uint32_t*>(right);
  sink = sink + WithAlloca(a & 63);
  return a < b ? -1 : a > b;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) uint64_t jprof_test_hard_code(uint64_t n) {
  uint32_t numbers[48];
  for (uint64_t i = 0; i < 48; ++i) numbers[i] = static_cast<uint32_t>((i * 2654435761u + n) >> 3);
  qsort(numbers, 48, sizeof numbers[0], Compare);
  return numbers[n % 48] + BigFrame(n) + Recursive(n, n % 12) + CatchesALeaver(n) + Realigned(n);
}
