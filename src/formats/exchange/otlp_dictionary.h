// This file has the field numbers of OpenTelemetry's profile messages, and the class Dictionary. A
// Dictionary holds the tables that all profiles of a file share. Used by one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/exchange/code_locations.h"
#include "profile/profile.h"

namespace jprof {
class OutputStream;
}

namespace jprof::otlp {

// The enums below have the numbers of the protobuf fields that jprof writes. The messages are in
// opentelemetry/proto/profiles/v1development/profiles.proto (1.10) and in the files that
// profiles.proto imports.

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

// Dictionary holds the tables that all profiles of a file share.
//
// An entry is added when another entry or a sample first refers to it, and equal entries share a
// number. So there are no unused entries and no duplicates. Number 0 of every table is the zero
// value. Entries are kept and compared as the bytes of their protobuf messages.
class Dictionary {
 public:
  // REQUIRES: `profile` outlives this object and does not change.
  explicit Dictionary(const profile::Profile& profile);

  // Text, Attribute, Link and Stack return the number of an entry, and add the entry if it is new.
  uint32_t Text(std::string_view text) { return strings_.NumberOf(text); }
  uint32_t Attribute(std::string_view key, std::string_view value);
  uint32_t Attribute(std::string_view key, int64_t value);
  // `trace_id` and `span_id` are in hex. Returns 0 if one of them is not a valid id.
  uint32_t Link(std::string_view trace_id, std::string_view span_id);
  uint32_t Stack(uint32_t stack);

  // Returns the bytes of the message ProfilesDictionary.
  std::string Message() const;

 private:
  uint32_t Location(uint32_t location);
  uint32_t Function(uint32_t method);
  uint32_t MappingNumber(uint32_t mapping);

  const profile::Profile& profile_;
  const CodeLocations code_;
  Mappings mapping_of_frame_;
  profile::TextTable strings_, mappings_, locations_, functions_, links_, attributes_, stacks_;
  // The numbers of entries, indexed by stack, location or method of the profile; 0 if not added
  // yet.
  std::vector<uint32_t> of_stack_, of_location_, of_method_;
  std::vector<uint32_t> numbers_;  // location numbers of one stack; kept to reuse the memory
};

}  // namespace jprof::otlp
