// ConstantPool: the constant pool of a class file (JVMS 4.4), and entries added to it.
//
// What is added is appended, so that the indexes of the class file stay valid. Borrows the class
// file, and the strings that it is given.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "instrument/bytes.h"

namespace jprof::instrument {

class ConstantPool {
 public:
  // Reads the pool with its count. False if it is malformed; the reader is then anywhere.
  bool Read(ByteReader& reader);
  // The same without the count, which stands in front of the entries.
  bool ReadEntries(uint16_t count, ByteReader& reader);

  bool IsUtf8(uint16_t index) const;

  // The following are empty or zero if the index does not name an entry of that type.
  std::string_view Utf8(uint16_t index) const;
  std::string_view ClassName(uint16_t index) const;
  // The class of a field, method or interface method.
  std::string_view MemberClass(uint16_t index) const;
  // Of a field, method, interface method, or a dynamic constant or call site.
  std::string_view MemberName(uint16_t index) const;
  std::string_view MemberDescriptor(uint16_t index) const;

  // The index of an entry, added if need be; 0 if the pool is full. `AddMethod`: a method of a
  // class.
  uint16_t AddUtf8(std::string_view text);
  uint16_t AddClass(std::string_view name);
  uint16_t AddMethod(std::string_view class_name, std::string_view name,
                     std::string_view descriptor);

  // The pool with its count.
  void Write(ByteWriter& writer) const;

 private:
  struct Constant {
    uint8_t tag = 0;  // 0: unusable, as the second index of a long
    Bytes content;    // without the tag, and without the length of a Utf8
  };

  uint16_t ReferenceAt(uint16_t index, size_t offset) const;
  uint16_t NameAndTypeOf(uint16_t index) const;
  bool HasRoomFor(size_t entries) const;

  std::vector<Constant> entries_;  // those of the class file, by index
  Bytes bytes_;
  ByteWriter added_;
  uint32_t count_ = 0;  // with the added ones
  std::unordered_map<std::string_view, uint16_t> classes_;
  std::unordered_map<std::string_view, uint16_t> added_utf8_;
};

}  // namespace jprof::instrument
