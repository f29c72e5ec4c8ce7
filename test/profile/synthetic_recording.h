// Recordings of any size, made with our own writer.
#pragma once

#include <cstdint>
#include <string>

namespace jprof::test {

struct SyntheticRecording {
  int64_t bytes = 0;    // stop when the file has about this many; 0: no limit
  int64_t samples = 0;  // stop after this many; 0: no limit
  int stacks = 20'000;  // distinct ones
  int depth = 40;
  int threads = 64;
  int methods = 5'000;
  bool walks = false;  // every sample has a stack of its own: a random walk of up to `depth` frames
};

// CPU samples 100 us apart, every fourth also a wall sample of 20 ms. The same for equal arguments.
// False if the file cannot be written.
bool MakeRecording(const std::string& path, const SyntheticRecording& made);

// "app.package3.Class3.method17", as stacks name it.
std::string MadeMethod(int method);

}  // namespace jprof::test
