// Writes the initial inputs of jfr_fuzz to a folder: small recordings.
#include <cstdio>
#include <string>

#include "profile/chunk_builder.h"
#include "profile/synthetic_recording.h"

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: make_jfr_corpus FOLDER\n");
    return 2;
  }
  const std::string folder = std::string(arguments[1]) + "/";
  const bool made = jprof::test::MakeRecording(
      folder + "ours.jfr", {.samples = 6, .stacks = 3, .depth = 4, .threads = 2, .methods = 5});
  for (const bool compressed : {true, false}) {
    jprof::test::ChunkBuilder chunk(compressed);
    jprof::test::AddSampleTypes(chunk);
    jprof::test::AddSampleConstants(chunk);
    jprof::test::AddSample(chunk, 2000);
    const std::string bytes = chunk.Build();
    const std::string name = compressed ? "compressed" : "plain";
    jprof::test::WriteFile(folder + name + ".jfr", bytes);
    jprof::test::WriteFile(folder + name + "_twice.jfr", bytes + bytes);
    chunk.state = 1;
    jprof::test::WriteFile(folder + name + "_open.jfr", chunk.Build());
  }
  return made ? 0 : 1;
}
