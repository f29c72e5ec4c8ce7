#include "sigsafe/hotspot/fake_vm.h"

#include <algorithm>
#include <cstring>

namespace jprof::test {
namespace {

constexpr int64_t kNmethodKind = 1;
constexpr int64_t kBufferKind = 2;
constexpr uint32_t kHeaderSize = 240;  // bytes of a blob's header, before its code
constexpr uint32_t kPcDescSize = 16;
constexpr uint32_t kConstMethodSize = 64;
constexpr uint32_t kPoolSize = 32;
constexpr VmField kNumber{8, 8, false};  // of a Klass
constexpr uint16_t kMaxStack = 4;        // max_stack of every method

// Fields of blobs and nmethods.
constexpr VmField kMutableData{8, 8, false};
constexpr VmField kName{16, 8, false};
constexpr VmField kRelocationSize{24, 4, true};
constexpr VmField kCodeOffset{28, 4, true};
constexpr VmField kDataOffset{32, 4, true};
constexpr VmField kFrameSize{36, 4, true};
constexpr VmField kFrameComplete{40, 2, true};
constexpr VmField kKind{42, 1, true};
constexpr VmField kLevel{43, 1, true};
constexpr VmField kVerifiedEntry{44, 2, false};
constexpr VmField kMethod{48, 8, false};
constexpr VmField kImmutableData{56, 8, false};
constexpr VmField kScopesPcs{64, 4, true};
constexpr VmField kScopesData{68, 4, true};
constexpr VmField kDeoptHandler{72, 4, true};
constexpr VmField kOrigPc{76, 4, true};

void Store(uint8_t* object, const VmField& field, uint64_t value) {
  memcpy(object + field.offset, &value, field.width);
}

uint64_t AddressOf(const void* object) { return reinterpret_cast<uint64_t>(object); }

void AppendUnsigned5(std::vector<uint8_t>& bytes, uint32_t value) {
  constexpr uint32_t kLowCodes = 191;
  for (int i = 0; i < 4 && value >= kLowCodes; ++i) {
    value -= kLowCodes;
    bytes.push_back(static_cast<uint8_t>(192 + value % 64));
    value /= 64;
  }
  bytes.push_back(static_cast<uint8_t>(value + 1));
}

}  // namespace

FakeVm::FakeVm() {
  memset(segments_, 0xff, sizeof segments_);
  layout_.code_low = AddressOf(code_);
  layout_.code_high = layout_.code_low + kCodeBytes;
  layout_.heaps[0] = {layout_.code_low, layout_.code_high, AddressOf(segments_), kSegmentBits};
  layout_.heap_count = 1;
  layout_.heap_block_size = 8;
  layout_.code_begin = {{}, kCodeOffset};
  layout_.code_end = {{}, kDataOffset};
  layout_.blob_name = kName;
  layout_.blob_kind = kKind;
  layout_.nmethod_kind = kNmethodKind;
  layout_.blob_frame_size = kFrameSize;
  layout_.blob_frame_complete = kFrameComplete;
  layout_.nmethod_method = kMethod;
  layout_.nmethod_level = kLevel;
  layout_.nmethod_orig_pc_offset = kOrigPc;
  layout_.verified_entry = {{}, kVerifiedEntry};
  layout_.deopt_handler = {{}, kDeoptHandler};
  layout_.scopes_pcs_begin = {kImmutableData, kScopesPcs};
  layout_.scopes_pcs_end = {kImmutableData, kScopesData};
  layout_.scopes_data = {kImmutableData, kScopesData};
  layout_.metadata = {kMutableData, kRelocationSize};
  layout_.unsigned5_bias = 1;
  layout_.method_const = {8, 8, false};
  layout_.method_access_flags = {16, 2, false};
  layout_.const_constants = {8, 8, false};
  layout_.const_code_size = {16, 2, false};
  layout_.const_idnum = {18, 2, false};
  layout_.const_max_stack = {20, 2, false};
  layout_.const_method_size = kConstMethodSize;
  layout_.pool_holder = {8, 8, false};
  layout_.klass_number = kNumber;
  NameLayout& names = layout_.names_of_methods;
  names.symbol_length = {4, 2, false};
  names.symbol_body = 6;
  names.pool_length = {16, 4, true};
  names.pool_size = kPoolSize;
  names.method_name = {22, 2, false};
  names.method_descriptor = {24, 2, false};
  names.const_words = {28, 4, true};
  names.const_flags = {32, 4, false};
  names.has_lines = 1;
  names.klass_name = {16, 8, false};
  names.klass_access_flags = {24, 4, false};
  names.klass_constants = {32, 8, false};
  names.source_file = {20, 2, false};
  names.source_is_in_pool = true;
  names.klass_loader = {40, 8, false};
  names.loader_object = {0, 8, false};
  names.loader_class = {8, 8, false};
  names.loader_name = {16, 8, false};
  const uint64_t interpreter = AddStub("Interpreter", 0, std::vector<uint8_t>(256, 0x90));
  layout_.interpreter_begin = interpreter;
  layout_.interpreter_end = interpreter + 256;
  layout_.call_stub_return = AddStub("StubRoutines (1)", 0, std::vector<uint8_t>(64, 0x90)) + 32;
  layout_.interpreter_bcp_slot = -8;
  layout_.sender_sp_register = 13;
  layout_.entry_wrapper_slot = -6;
  layout_.saves_all_registers = true;
  layout_.env_offset = 0;
  layout_.thread_stack_base = {64, 8, false};
  layout_.thread_stack_size = {72, 8, false};
  layout_.thread_anchor = 80;
  layout_.wrapper_anchor = 32;
  layout_.anchor_sp = {0, 8, false};
  layout_.anchor_pc = {8, 8, false};
  layout_.anchor_fp = {16, 8, false};
  Store(java_thread_, layout_.thread_stack_base, StackAddress(0) + sizeof stack_);
  Store(java_thread_, layout_.thread_stack_size, sizeof stack_);
}

uint8_t* FakeVm::Allocate(size_t size) {
  allocated_.push_back(std::make_unique<uint8_t[]>(size));
  return allocated_.back().get();
}

uint64_t FakeVm::AddSymbol(const std::string& text) {
  const NameLayout& names = layout_.names_of_methods;
  uint8_t* symbol = Allocate(names.symbol_body + text.size());
  Store(symbol, names.symbol_length, text.size());
  memcpy(symbol + names.symbol_body, text.data(), text.size());
  return AddressOf(symbol);
}

uint64_t FakeVm::AddMethod(uint64_t class_number, uint16_t code_size, const Texts& texts) {
  const NameLayout& names = layout_.names_of_methods;
  const size_t words = (kConstMethodSize + code_size + texts.lines.size() + 8) / 8;
  uint8_t* method = Allocate(32);
  uint8_t* const_method = Allocate(words * 8);
  uint8_t* constants = Allocate(kPoolSize + 4 * 8);
  uint8_t* holder = Allocate(48);
  const std::string* const entries[] = {&texts.name, &texts.descriptor, &texts.source_file};
  uint64_t index = 1;
  for (const std::string* text : entries) {
    const uint64_t symbol = AddSymbol(*text);
    memcpy(constants + kPoolSize + 8 * index++, &symbol, sizeof symbol);
  }
  Store(constants, names.pool_length, index);
  Store(constants, names.source_file, texts.source_file.empty() ? 0 : 3);
  Store(const_method, names.method_name, 1);
  Store(const_method, names.method_descriptor, 2);
  Store(const_method, names.const_words, words);
  Store(const_method, names.const_flags, texts.lines.empty() ? 0 : 1);
  memcpy(const_method + kConstMethodSize + code_size, texts.lines.data(), texts.lines.size());
  Store(holder, names.klass_name, AddSymbol(texts.class_name));
  Store(holder, names.klass_access_flags, 0x21);
  Store(holder, names.klass_constants, AddressOf(constants));
  uint8_t* loader = Allocate(24);
  Store(holder, names.klass_loader, AddressOf(loader));
  if (!texts.loader_class.empty()) {
    uint8_t* loader_class = Allocate(48);
    Store(loader_class, names.klass_name, AddSymbol(texts.loader_class));
    Store(loader, names.loader_object, AddressOf(loader));
    Store(loader, names.loader_class, AddressOf(loader_class));
    if (!texts.loader_name.empty()) Store(loader, names.loader_name, AddSymbol(texts.loader_name));
  }
  Store(method, layout_.method_const, AddressOf(const_method));
  Store(const_method, layout_.const_constants, AddressOf(constants));
  Store(const_method, layout_.const_code_size, code_size);
  Store(const_method, layout_.const_max_stack, kMaxStack);
  Store(constants, layout_.pool_holder, AddressOf(holder));
  Store(holder, kNumber, class_number << 16);
  return AddressOf(method);
}

void FakeVm::SetClassNumber(uint64_t method, uint64_t class_number) {
  uint64_t at = method;
  for (const uint32_t offset :
       {layout_.method_const.offset, layout_.const_constants.offset, layout_.pool_holder.offset}) {
    memcpy(&at, reinterpret_cast<const uint8_t*>(at) + offset, sizeof at);
  }
  Store(reinterpret_cast<uint8_t*>(at), kNumber, class_number << 16);
}

void FakeVm::SetAccessFlags(uint64_t method, uint16_t flags) {
  Store(reinterpret_cast<uint8_t*>(method), layout_.method_access_flags, flags);
}

uint64_t FakeVm::BytecodesOf(uint64_t method) const {
  uint64_t const_method = 0;
  memcpy(&const_method, reinterpret_cast<const uint8_t*>(method) + 8, sizeof const_method);
  return const_method + kConstMethodSize;
}

uint64_t FakeVm::AddBlob(int64_t kind, const char* name, int32_t frame_size, int16_t frame_complete,
                         const std::vector<uint8_t>& code) {
  const size_t size = (layout_.heap_block_size + kHeaderSize + code.size() + 127) / 128 * 128;
  uint8_t* block = code_ + code_used_;
  for (size_t i = 0; i < size >> kSegmentBits; ++i) {
    segments_[(code_used_ >> kSegmentBits) + i] = static_cast<uint8_t>(i);
  }
  code_used_ += size;
  block[layout_.heap_block_size / 2] = 1;  // used
  uint8_t* blob = block + layout_.heap_block_size;
  Store(blob, kKind, static_cast<uint64_t>(kind));
  Store(blob, kName, AddressOf(name));
  Store(blob, kFrameSize, static_cast<uint32_t>(frame_size));
  Store(blob, kFrameComplete, static_cast<uint16_t>(frame_complete));
  Store(blob, kCodeOffset, kHeaderSize);
  Store(blob, kDataOffset, kHeaderSize + code.size());
  memcpy(blob + kHeaderSize, code.data(), code.size());
  return AddressOf(blob) + kHeaderSize;
}

uint64_t FakeVm::AddStub(const std::string& name, int32_t frame_size,
                         const std::vector<uint8_t>& code) {
  char* kept = reinterpret_cast<char*>(Allocate(name.size() + 1));
  memcpy(kept, name.c_str(), name.size() + 1);
  return AddBlob(kBufferKind, kept, frame_size, -1, code);
}

uint64_t FakeVm::AddNmethod(const Nmethod& nmethod) {
  const uint64_t begin =
      AddBlob(kNmethodKind, "nmethod", nmethod.frame_size, nmethod.frame_complete, nmethod.code);
  auto* blob = reinterpret_cast<uint8_t*>(begin - kHeaderSize);
  std::vector<uint64_t> methods;
  std::vector<uint8_t> data{0};  // offset 0 means no scope
  std::vector<uint32_t> descs;
  for (const Place& place : nmethod.places) {
    uint32_t sender = 0;
    for (auto scope = place.scopes.rbegin(); scope != place.scopes.rend(); ++scope) {
      methods.push_back(scope->method);
      const auto at = static_cast<uint32_t>(data.size());
      AppendUnsigned5(data, sender);
      AppendUnsigned5(data, static_cast<uint32_t>(methods.size()));
      AppendUnsigned5(data, static_cast<uint32_t>(scope->bci + 1));
      sender = at;
    }
    descs.insert(descs.end(), {place.offset, sender, 0, 0});
  }
  uint8_t* immutable = Allocate(descs.size() * sizeof(uint32_t) + data.size() + 1);
  const size_t desc_bytes = descs.size() * sizeof(uint32_t);
  std::copy_n(reinterpret_cast<const uint8_t*>(descs.data()), desc_bytes, immutable);
  std::copy(data.begin(), data.end(), immutable + desc_bytes);
  uint8_t* metadata = Allocate((methods.size() + 1) * sizeof(uint64_t));
  std::copy_n(reinterpret_cast<const uint8_t*>(methods.data()), methods.size() * sizeof(uint64_t),
              metadata);
  Store(blob, kMethod, nmethod.method);
  Store(blob, kLevel, static_cast<uint64_t>(nmethod.level));
  Store(blob, kVerifiedEntry, nmethod.verified_entry);
  Store(blob, kImmutableData, AddressOf(immutable));
  Store(blob, kScopesPcs, 0);
  Store(blob, kScopesData, descs.size() / 4 * kPcDescSize);
  Store(blob, kMutableData, AddressOf(metadata));
  Store(blob, kRelocationSize, 0);
  Store(blob, kDeoptHandler, kHeaderSize + nmethod.code.size() - 8);
  Store(blob, kOrigPc, 8);
  return begin;
}

void FakeVm::SetAnchor(uint64_t sp, uint64_t pc, uint64_t fp) {
  uint8_t* anchor = java_thread_ + layout_.thread_anchor;
  Store(anchor, layout_.anchor_sp, sp);
  Store(anchor, layout_.anchor_pc, pc);
  Store(anchor, layout_.anchor_fp, fp);
}

void FakeVm::SetPolledPc(uint64_t pc) {
  layout_.thread_polled_pc = {136, 8, false};
  Store(java_thread_, layout_.thread_polled_pc, pc);
}

void FakeVm::MakeChunk(size_t entry, uint64_t return_address, const std::vector<uint64_t>& words) {
  constexpr VmField kContinuationEntry{128, 8, false};  // of a JavaThread
  constexpr int32_t kStackPointer = 4;                  // in words
  constexpr uint32_t kReference = 16;                   // ContinuationEntry::_cont
  layout_.thread_continuation = kContinuationEntry;
  layout_.chunk = {.continuation_tail = 24,
                   .parent = 8,
                   .size = 16,
                   .sp = 20,
                   .bottom = 24,
                   .max_thawing_size = 28,
                   .stack = 32,
                   .thread_continuation = 16};
  const auto bottom = static_cast<int32_t>(kStackPointer + words.size());
  uint8_t* chunk = Allocate(layout_.chunk.stack + static_cast<size_t>(bottom) * 8);
  const int32_t numbers[] = {bottom, kStackPointer, bottom, static_cast<int32_t>(words.size())};
  memcpy(chunk + layout_.chunk.size, numbers, sizeof numbers);
  chunk_ = chunk;
  uint8_t* stack = chunk + layout_.chunk.stack + kStackPointer * 8;
  memcpy(stack - 8, &return_address, sizeof return_address);
  memcpy(stack, words.data(), words.size() * 8);
  uint8_t* continuation = Allocate(32);
  Store(continuation, {layout_.chunk.continuation_tail, 8, false}, AddressOf(chunk));
  Store(java_thread_, kContinuationEntry, StackAddress(entry));
  stack_[entry + kReference / 8] = AddressOf(continuation);
}

void FakeVm::RemoveFromChunk(int32_t words, int32_t left) {
  int32_t sp = 0;
  memcpy(&sp, chunk_ + layout_.chunk.sp, sizeof sp);
  Store(chunk_, {layout_.chunk.sp, 4, true}, static_cast<uint64_t>(sp + words));
  Store(chunk_, {layout_.chunk.max_thawing_size, 4, true}, static_cast<uint64_t>(left));
}

void FakeVm::MakeEntryFrame(size_t index) {
  uint64_t* wrapper = &stack_[index + 8];
  stack_[index - 6] = AddressOf(wrapper);
  memset(wrapper, 0, 64);
}

}  // namespace jprof::test
