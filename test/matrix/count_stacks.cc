// count_stacks RECORDING [KIND]: prints the counts of stack_census.h for the samples of KIND (cpu,
// which is the default, or wall), separated by tabs: "samples walks rooted% unknown% failures".
#include <cstdio>

#include "matrix/stack_census.h"

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    fprintf(stderr, "usage: count_stacks RECORDING [KIND]\n");
    return 2;
  }
  const auto census = jprof::test::TakeStackCensus(argv[1], argc == 3 ? argv[2] : "cpu");
  if (!census) {
    fprintf(stderr, "count_stacks: %s\n", census.error().message().c_str());
    return 1;
  }
  const auto& counted = census.value();
  printf("%llu\t%llu\t%.3f\t%.3f\t", static_cast<unsigned long long>(counted.samples),
         static_cast<unsigned long long>(counted.walks), counted.RootedPercent(),
         counted.UnknownPercent());
  const char* separator = "";
  for (const auto& [name, count] : counted.failures) {
    printf("%s%s %llu", separator, name.c_str(), static_cast<unsigned long long>(count));
    separator = ", ";
  }
  printf("\n");
  return 0;
}
