#include "instrument/constant_pool.h"

namespace jprof::instrument {
namespace {

constexpr uint32_t kMaxCount = 65535;
constexpr size_t kMaxUtf8 = 65535;

enum Tag : uint8_t {
  kUtf8 = 1,
  kInteger = 3,
  kFloat = 4,
  kLong = 5,
  kDouble = 6,
  kClass = 7,
  kString = 8,
  kFieldref = 9,
  kMethodref = 10,
  kInterfaceMethodref = 11,
  kNameAndType = 12,
  kMethodHandle = 15,
  kMethodType = 16,
  kDynamic = 17,
  kInvokeDynamic = 18,
  kModule = 19,
  kPackage = 20,
};

// Returns the size of an entry without its tag. Returns 0 for an unknown tag, and for a Utf8, whose
// size depends on the length that it stores.
size_t ContentSize(uint8_t tag) {
  switch (tag) {
    case kClass:
    case kString:
    case kMethodType:
    case kModule:
    case kPackage:
      return 2;
    case kMethodHandle:
      return 3;
    case kInteger:
    case kFloat:
    case kFieldref:
    case kMethodref:
    case kInterfaceMethodref:
    case kNameAndType:
    case kDynamic:
    case kInvokeDynamic:
      return 4;
    case kLong:
    case kDouble:
      return 8;
    default:
      return 0;
  }
}

bool HasClass(uint8_t tag) {
  return tag == kFieldref || tag == kMethodref || tag == kInterfaceMethodref;
}

bool IsMember(uint8_t tag) { return HasClass(tag) || tag == kDynamic || tag == kInvokeDynamic; }

}  // namespace

bool ConstantPool::Read(ByteReader& reader) { return ReadEntries(reader.U2(), reader); }

bool ConstantPool::ReadEntries(uint16_t count, ByteReader& reader) {
  count_ = count;
  if (count_ == 0) return false;
  entries_.resize(count_);
  ByteReader whole = reader;
  const size_t begin = reader.position();
  for (uint32_t index = 1; index < count_; ++index) {
    Constant& entry = entries_[index];
    entry.tag = reader.U1();
    const size_t size = entry.tag == kUtf8 ? reader.U2() : ContentSize(entry.tag);
    if (size == 0 && entry.tag != kUtf8) return false;
    entry.content = reader.Take(size);
    if (reader.failed()) return false;
    if (entry.tag == kLong || entry.tag == kDouble) ++index;
    if (index >= count_) return false;
  }
  bytes_ = whole.Take(reader.position() - begin);
  for (uint32_t index = 1; index < count_; ++index) {
    const std::string_view name = ClassName(static_cast<uint16_t>(index));
    if (!name.empty()) classes_.emplace(name, static_cast<uint16_t>(index));
  }
  return true;
}

bool ConstantPool::IsUtf8(uint16_t index) const {
  return index < entries_.size() && entries_[index].tag == kUtf8;
}

std::string_view ConstantPool::Utf8(uint16_t index) const {
  if (!IsUtf8(index)) return {};
  const Bytes content = entries_[index].content;
  return {reinterpret_cast<const char*>(content.data()), content.size()};
}

std::string_view ConstantPool::ClassName(uint16_t index) const {
  if (index >= entries_.size() || entries_[index].tag != kClass) return {};
  return Utf8(ReferenceAt(index, 0));
}

std::string_view ConstantPool::MemberClass(uint16_t index) const {
  if (index >= entries_.size() || !HasClass(entries_[index].tag)) return {};
  return ClassName(ReferenceAt(index, 0));
}

std::string_view ConstantPool::MemberName(uint16_t index) const {
  const uint16_t name_and_type = NameAndTypeOf(index);
  return name_and_type == 0 ? std::string_view() : Utf8(ReferenceAt(name_and_type, 0));
}

std::string_view ConstantPool::MemberDescriptor(uint16_t index) const {
  const uint16_t name_and_type = NameAndTypeOf(index);
  return name_and_type == 0 ? std::string_view() : Utf8(ReferenceAt(name_and_type, 2));
}

uint16_t ConstantPool::NameAndTypeOf(uint16_t index) const {
  if (index >= entries_.size() || !IsMember(entries_[index].tag)) return 0;
  const uint16_t name_and_type = ReferenceAt(index, 2);
  if (name_and_type >= entries_.size() || entries_[name_and_type].tag != kNameAndType) return 0;
  return name_and_type;
}

uint16_t ConstantPool::ReferenceAt(uint16_t index, size_t offset) const {
  const Bytes content = entries_[index].content;
  return static_cast<uint16_t>(content[offset] << 8 | content[offset + 1]);
}

bool ConstantPool::HasRoomFor(size_t entries) const { return count_ + entries <= kMaxCount; }

uint16_t ConstantPool::AddUtf8(std::string_view text) {
  const auto found = added_utf8_.find(text);
  if (found != added_utf8_.end()) return found->second;
  if (!HasRoomFor(1) || text.size() > kMaxUtf8) return 0;
  added_.U1(kUtf8);
  added_.U2(static_cast<uint32_t>(text.size()));
  added_.Append({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  const auto index = static_cast<uint16_t>(count_++);
  added_utf8_.emplace(text, index);
  return index;
}

uint16_t ConstantPool::AddClass(std::string_view name) {
  const auto found = classes_.find(name);
  if (found != classes_.end()) return found->second;
  if (!HasRoomFor(2)) return 0;
  const uint16_t utf8 = AddUtf8(name);
  if (utf8 == 0) return 0;
  added_.U1(kClass);
  added_.U2(utf8);
  const auto index = static_cast<uint16_t>(count_++);
  classes_.emplace(name, index);
  return index;
}

uint16_t ConstantPool::AddMethod(std::string_view class_name, std::string_view name,
                                 std::string_view descriptor) {
  if (!HasRoomFor(6)) return 0;  // for the method and all entries that it refers to
  const uint16_t owner = AddClass(class_name);
  const uint16_t name_index = AddUtf8(name);
  const uint16_t descriptor_index = AddUtf8(descriptor);
  if (owner == 0 || name_index == 0 || descriptor_index == 0) return 0;
  added_.U1(kNameAndType);
  added_.U2(name_index);
  added_.U2(descriptor_index);
  const uint32_t name_and_type = count_++;
  added_.U1(kMethodref);
  added_.U2(owner);
  added_.U2(name_and_type);
  return static_cast<uint16_t>(count_++);
}

void ConstantPool::Write(ByteWriter& writer) const {
  writer.U2(count_);
  writer.Append(bytes_);
  writer.Append(added_.bytes());
}

}  // namespace jprof::instrument
