// MakeRecording makes recordings of any size with jprof's writer.
#pragma once

#include <cstdint>
#include <string>

namespace jprof::test {

struct SyntheticRecording {
  int64_t bytes = 0;    // approximate size of the file; 0 if unlimited
  int64_t samples = 0;  // maximum number of samples; 0 if unlimited
  int stacks = 20'000;  // distinct stacks
  int depth = 40;
  int threads = 64;
  int methods = 5'000;
  bool walks = false;  // every sample has a stack of its own: a random walk of up to `depth` frames
};

// Writes CPU samples 100 us apart, and a wall sample of 20 ms with every fourth CPU sample. Equal
// arguments give equal recordings. Returns false if the file cannot be written.
bool MakeRecording(const std::string& path, const SyntheticRecording& made);

// Returns the name of a method in stacks, such as "app.package3.Class3.method17".
std::string MadeMethod(int method);

}  // namespace jprof::test
