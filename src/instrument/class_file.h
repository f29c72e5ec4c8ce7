// ClassFile gives access to the parts of a class file (JVMS 4.1). Its methods and attributes are
// views of the bytes of the file. MethodDescriptor has the types in a method's descriptor. Further
// functions read annotations (JVMS 4.7.16).
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

// Returns the number of slots that a value of the type takes as a local variable or on the operand
// stack: 2 for long and double, 0 for void, else 1. `type` is a descriptor.
inline uint32_t SlotsOf(std::string_view type) {
  if (type == "V") return 0;
  return type == "J" || type == "D" ? 2 : 1;
}

// MethodDescriptor has the types of a method's parameters and result, from the method's descriptor
// (JVMS 4.3).
struct MethodDescriptor {
  // Parses a descriptor. The result refers to `text`. Returns nullopt if the descriptor is
  // malformed.
  static std::optional<MethodDescriptor> Parse(std::string_view text);

  uint32_t ParameterSlots() const;

  std::vector<std::string_view> parameters;
  std::string_view result;
};

// Skips an annotation, and returns the index of its type in the constant pool. The reader fails if
// the annotation is malformed, or is nested more than 64 levels deep.
uint16_t SkipAnnotation(ByteReader& reader);

// True if `content`, the content of an attribute RuntimeVisibleAnnotations, has an annotation with
// the descriptor `type`.
bool HasAnnotation(Bytes content, const ConstantPool& pool, std::string_view type);

// The first class file version whose methods have stack maps (JVMS 4.10). In older class files the
// verifier infers the types.
inline constexpr uint16_t kFirstWithStackMaps = 50;

struct Attribute {
  std::string_view name;
  Bytes content;
  Bytes whole;  // including name and length
};

// Reads `count` attributes. The reader fails if they are malformed.
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
  Bytes before_methods;  // from the class's access flags to the end of its fields
  Bytes after_methods;
};

}  // namespace jprof::instrument
