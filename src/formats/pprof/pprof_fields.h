// The fields of google/pprof proto/profile.proto that we write.
#pragma once

#include <cstdint>

namespace jprof::pprof {

enum class Profile : uint32_t {
  kSampleType = 1,
  kSample = 2,
  kMapping = 3,
  kLocation = 4,
  kFunction = 5,
  kStringTable = 6,
  kTimeNanos = 9,
  kDurationNanos = 10,
  kPeriodType = 11,
  kPeriod = 12,
  kComment = 13,
  kDefaultSampleType = 14,
};
enum class ValueType : uint32_t { kType = 1, kUnit = 2 };
enum class Sample : uint32_t { kLocationId = 1, kValue = 2, kLabel = 3 };
enum class Label : uint32_t { kKey = 1, kText = 2, kNumber = 3 };
enum class Mapping : uint32_t {
  kId = 1,
  kMemoryStart = 2,
  kMemoryLimit = 3,
  kFilename = 5,
  kBuildId = 6,
  kHasFunctions = 7,
  kHasFilenames = 8,
  kHasLineNumbers = 9,
  kHasInlineFrames = 10,
};
enum class Location : uint32_t { kId = 1, kMappingId = 2, kLine = 4 };
enum class Line : uint32_t { kFunctionId = 1, kLine = 2 };
enum class Function : uint32_t { kId = 1, kName = 2, kSystemName = 3, kFilename = 4 };

}  // namespace jprof::pprof
