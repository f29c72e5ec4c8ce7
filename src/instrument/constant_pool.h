// ConstantPool is the constant pool of a class file (JVMS 4.4), with the entries that probes add.
//
// New entries are appended, so that the indexes of the class file stay valid. The class file and
// the strings of new entries must outlive the pool.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "instrument/bytes.h"

namespace jprof::instrument {

class ConstantPool {
 public:
  // Reads the pool, which starts with its count. Returns false if the pool is malformed; the
  // position of the reader is then unspecified.
  bool Read(ByteReader& reader);
  // Reads the entries of a pool whose count has been read already. Returns false if the pool is
  // malformed; the position of the reader is then unspecified.
  bool ReadEntries(uint16_t count, ByteReader& reader);

  bool IsUtf8(uint16_t index) const;

  // The functions from here to MemberDescriptor return an empty text if the index does not name an
  // entry of the right type.
  std::string_view Utf8(uint16_t index) const;
  std::string_view ClassName(uint16_t index) const;
  // Returns the class of a field, method or interface method.
  std::string_view MemberClass(uint16_t index) const;
  // Return the name and the descriptor of a field, method, interface method, dynamic constant or
  // dynamic call site.
  std::string_view MemberName(uint16_t index) const;
  std::string_view MemberDescriptor(uint16_t index) const;

  // Return the index of an entry; 0 if the pool is full. AddUtf8 and AddClass add the entry only if
  // the pool does not have it yet. AddMethod always adds the entry of the method.
  uint16_t AddUtf8(std::string_view text);
  uint16_t AddClass(std::string_view name);
  uint16_t AddMethod(std::string_view class_name, std::string_view name,
                     std::string_view descriptor);

  // Writes the pool with its count.
  void Write(ByteWriter& writer) const;

 private:
  struct Constant {
    uint8_t tag = 0;  // 0 for an unusable index, such as the second index of a long
    Bytes content;    // without the tag, and without the length of a Utf8
  };

  uint16_t ReferenceAt(uint16_t index, size_t offset) const;
  uint16_t NameAndTypeOf(uint16_t index) const;
  bool HasRoomFor(size_t entries) const;

  std::vector<Constant> entries_;  // entries of the class file, by index
  Bytes bytes_;
  ByteWriter added_;
  uint32_t count_ = 0;  // including added entries
  std::unordered_map<std::string_view, uint16_t> classes_;
  std::unordered_map<std::string_view, uint16_t> added_utf8_;
};

}  // namespace jprof::instrument
