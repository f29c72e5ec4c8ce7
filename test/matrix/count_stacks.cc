// count_stacks RECORDING: prints what stack_census.h counts, "samples java rooted% unknown%
// failures", separated by tabs.
#include <cstdio>

#include "matrix/stack_census.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: count_stacks RECORDING\n");
    return 2;
  }
  const auto census = jprof::test::TakeStackCensus(argv[1]);
  if (!census) {
    fprintf(stderr, "count_stacks: %s\n", census.error().message().c_str());
    return 1;
  }
  const auto& counted = census.value();
  printf("%llu\t%llu\t%.3f\t%.3f\t", static_cast<unsigned long long>(counted.samples),
         static_cast<unsigned long long>(counted.java_samples), counted.RootedPercent(),
         counted.UnknownPercent());
  const char* separator = "";
  for (const auto& [name, count] : counted.failures) {
    printf("%s%s %llu", separator, name.c_str(), static_cast<unsigned long long>(count));
    separator = ", ";
  }
  printf("\n");
  return 0;
}
