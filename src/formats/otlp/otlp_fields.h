// The fields of opentelemetry/proto/profiles/v1development/profiles.proto (1.10) and of the
// messages that it uses, as far as we write them.
#pragma once

#include <cstdint>

namespace jprof::otlp {

enum class ProfilesData : uint32_t { kResourceProfiles = 1, kDictionary = 2 };
enum class ResourceProfiles : uint32_t { kResource = 1, kScopeProfiles = 2 };
enum class ScopeProfiles : uint32_t { kScope = 1, kProfiles = 2 };
enum class Scope : uint32_t { kName = 1 };
enum class Resource : uint32_t { kAttributes = 1 };
enum class KeyValue : uint32_t { kKey = 1, kValue = 2 };
enum class AnyValue : uint32_t { kString = 1, kInt = 3 };

enum class DictionaryField : uint32_t {
  kMappings = 1,
  kLocations = 2,
  kFunctions = 3,
  kLinks = 4,
  kStrings = 5,
  kAttributes = 6,
  kStacks = 7,
};
enum class Mapping : uint32_t {
  kMemoryStart = 1,
  kMemoryLimit = 2,
  kFilename = 4,
  kAttributes = 5
};
enum class Location : uint32_t { kMapping = 1, kLines = 3, kAttributes = 4 };
enum class Line : uint32_t { kFunction = 1, kLine = 2 };
enum class Function : uint32_t { kName = 1, kSystemName = 2, kFilename = 3 };
enum class Link : uint32_t { kTraceId = 1, kSpanId = 2 };
enum class Attribute : uint32_t { kKey = 1, kValue = 2 };  // KeyValueAndUnit
enum class Stack : uint32_t { kLocations = 1 };

enum class Profile : uint32_t {
  kSampleType = 1,
  kSamples = 2,
  kTimeUnixNano = 3,
  kDurationNano = 4,
  kPeriodType = 5,
  kPeriod = 6,
  kProfileId = 7,
};
enum class ValueType : uint32_t { kType = 1, kUnit = 2 };
enum class Sample : uint32_t { kStack = 1, kAttributes = 2, kLink = 3, kValues = 4 };

}  // namespace jprof::otlp
