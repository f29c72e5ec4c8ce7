// Annotations of a class file (JVMS 4.7.16).
#pragma once

#include <cstdint>
#include <string_view>

#include "instrument/byte_reader.h"
#include "instrument/constant_pool.h"

namespace jprof::instrument {

// Moves the reader behind an annotation, and returns the index of its type; the reader fails if the
// annotation is malformed, or nested very deep.
uint16_t SkipAnnotation(ByteReader& reader);

// Whether the content of an attribute RuntimeVisibleAnnotations names the type (a descriptor).
bool HasAnnotation(Bytes content, const ConstantPool& pool, std::string_view type);

}  // namespace jprof::instrument
