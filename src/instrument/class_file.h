// ClassFile: the parts of a class file (JVMS 4.1), its methods and attributes, as views of its
// bytes; and functions that read annotations (JVMS 4.7.16).
//
// Thread-safe: the functions have no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "instrument/bytes.h"
#include "instrument/constant_pool.h"

namespace jprof::instrument {

// Returns the number of local variables or stack slots that a value takes, by the descriptor of its
// type: two for long and double, none for void, else one.
inline uint32_t SlotsOf(std::string_view type) {
  if (type == "V") return 0;
  return type == "J" || type == "D" ? 2 : 1;
}

// MethodDescriptor: the types of a method, from its descriptor (JVMS 4.3).
struct MethodDescriptor {
  // Parses `text`, to which the result refers. nullopt if the descriptor is malformed.
  static std::optional<MethodDescriptor> Parse(std::string_view text);

  uint32_t ParameterSlots() const;

  std::vector<std::string_view> parameters;
  std::string_view result;
};

// Skips an annotation, and returns the index of its type. The reader fails if the annotation is
// malformed or nested very deeply.
uint16_t SkipAnnotation(ByteReader& reader);

// True if `content`, of an attribute RuntimeVisibleAnnotations, has an annotation of `type` (a
// descriptor).
bool HasAnnotation(Bytes content, const ConstantPool& pool, std::string_view type);

// The first version whose methods have stack maps (JVMS 4.10); in older versions the verifier
// infers types.
inline constexpr uint16_t kFirstWithStackMaps = 50;

struct Attribute {
  std::string_view name;
  Bytes content;
  Bytes whole;  // including name and length
};

// Reads `count` attributes; the reader fails if they are malformed.
std::vector<Attribute> ReadAttributes(ByteReader& reader, uint16_t count, const ConstantPool& pool);

struct Method {
  uint16_t access_flags = 0;
  std::string_view name;
  std::string_view descriptor;
  Bytes header;  // flags and indexes of name and descriptor
  std::vector<Attribute> attributes;
  Bytes whole;
};

struct ClassFile {
  // Parses a class file, which must outlive the result.
  static Result<ClassFile> Parse(Bytes bytes);

  uint16_t major_version = 0;
  uint16_t this_class = 0;
  bool has_superclass = false;  // false only for java.lang.Object
  ConstantPool pool;
  std::vector<Method> methods;

  Bytes before_pool;     // magic number and version
  Bytes before_methods;  // access flags of the class up to its fields
  Bytes after_methods;
};

}  // namespace jprof::instrument
