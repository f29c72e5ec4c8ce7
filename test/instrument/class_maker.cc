#include "instrument/class_maker.h"

namespace jprof {
namespace {

ClassBytes Long(size_t value) {
  return Shorts({static_cast<uint32_t>(value >> 16), static_cast<uint32_t>(value & 0xFFFF)});
}

}  // namespace

ClassBytes Shorts(const std::vector<uint32_t>& values) {
  ClassBytes bytes;
  for (const uint32_t value : values) {
    bytes.push_back(static_cast<uint8_t>(value >> 8));
    bytes.push_back(static_cast<uint8_t>(value));
  }
  return bytes;
}

ClassBytes operator+(ClassBytes left, const ClassBytes& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

ClassMaker::ClassMaker(uint16_t major, const std::string& name, const std::string& super)
    : major_(major) {
  this_class_ = Class(name);
  super_class_ = super.empty() ? 0 : Class(super);
}

uint16_t ClassMaker::Entry(const ClassBytes& bytes) {
  pool_ = std::move(pool_) + bytes;
  return static_cast<uint16_t>(pool_count_++);
}

uint16_t ClassMaker::Utf8(const std::string& text) {
  return Entry(ClassBytes{1} + Shorts({static_cast<uint32_t>(text.size())}) +
               ClassBytes(text.begin(), text.end()));
}

uint16_t ClassMaker::Class(const std::string& name) {
  const uint16_t utf8 = Utf8(name);
  return Entry(ClassBytes{7} + Shorts({utf8}));
}

uint16_t ClassMaker::MethodOf(const std::string& owner, const std::string& name,
                              const std::string& descriptor) {
  const uint16_t owner_class = Class(owner);
  const uint16_t name_index = Utf8(name);
  const uint16_t descriptor_index = Utf8(descriptor);
  const uint16_t name_and_type = Entry(ClassBytes{12} + Shorts({name_index, descriptor_index}));
  return Entry(ClassBytes{10} + Shorts({owner_class, name_and_type}));
}

void ClassMaker::FillPool(uint32_t count) {
  while (pool_count_ < count) Entry({3, 0, 0, 0, 0});
}

ClassMaker& ClassMaker::Add(const MadeMethod& method) {
  const uint16_t name = Utf8(method.name);
  const uint16_t descriptor = Utf8(method.descriptor);
  methods_ = std::move(methods_) + Shorts({method.access_flags, name, descriptor});
  ++method_count_;
  if (method.code.empty()) {
    methods_ = std::move(methods_) + Shorts({0});
    return *this;
  }
  ClassBytes code = Shorts({method.max_stack, method.max_locals}) + Long(method.code.size()) +
                    method.code + Shorts({static_cast<uint32_t>(method.handlers.size())});
  for (const auto& handler : method.handlers) code = std::move(code) + Shorts(handler);
  code = std::move(code) + Shorts({static_cast<uint32_t>(method.tables.size())});
  for (const auto& [table, content] : method.tables) {
    code = std::move(code) + Shorts({Utf8(table)}) + Long(content.size()) + content;
  }
  const uint16_t code_name = Utf8("Code");
  const bool is_annotated = !method.annotations.empty();
  methods_ =
      std::move(methods_) + Shorts({is_annotated ? 2U : 1U, code_name}) + Long(code.size()) + code;
  if (is_annotated) {
    const uint16_t annotations = Utf8("RuntimeVisibleAnnotations");
    methods_ = std::move(methods_) + Shorts({annotations}) + Long(method.annotations.size()) +
               method.annotations;
  }
  return *this;
}

ClassBytes ClassMaker::Bytes() const {
  return ClassBytes{0xCA, 0xFE, 0xBA, 0xBE} + Shorts({0, major_, pool_count_}) + pool_ +
         Shorts({0x21, this_class_, super_class_, 0, 0, method_count_}) + methods_ + Shorts({0});
}

}  // namespace jprof
