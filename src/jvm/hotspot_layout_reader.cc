#include "jvm/hotspot_layout_reader.h"

#include <algorithm>
#include <string>

#include "jvm/frame_slots.h"

namespace jprof {
namespace {

// UNSIGNED5 leaves out the zero byte since then (JDK-8292758).
constexpr int kFirstReleaseWithBias = 20;

// Where `pointer` says, if this JVM has it, else `offset` from the object.
VmPlace PointerOrOffset(VmField pointer, VmField offset) {
  return pointer.exists() ? VmPlace{pointer, {}} : VmPlace{{}, offset};
}

uint64_t ReadWord(uint64_t address) { return *reinterpret_cast<const uint64_t*>(address); }

template <typename T>
T Read(uint64_t object, VmField field) {
  return *reinterpret_cast<const T*>(object + field.offset);
}

void PlaceCode(const VmFields& fields, HotspotLayout& layout) {
  layout.code_begin = PointerOrOffset(fields.blob_code_begin, fields.blob_code_offset);
  layout.code_end = PointerOrOffset(fields.blob_code_end, fields.blob_data_offset);
  layout.blob_name = fields.blob_name;
  layout.blob_kind = fields.blob_kind;
  layout.blob_frame_size = fields.blob_frame_size;
  layout.blob_frame_complete = fields.blob_frame_complete;
  layout.nmethod_method = fields.nmethod_method;
  layout.nmethod_level = fields.nmethod_level;
  layout.nmethod_orig_pc_offset = fields.nmethod_orig_pc_offset;
  layout.verified_entry =
      PointerOrOffset(fields.nmethod_verified_entry, fields.nmethod_verified_entry_offset);
  layout.deopt_handler =
      PointerOrOffset(fields.nmethod_deopt_handler, fields.nmethod_deopt_handler_offset);
  layout.deopt_mh_handler =
      PointerOrOffset(fields.nmethod_deopt_mh_handler, fields.nmethod_deopt_mh_handler_offset);
}

// Up to JDK 21 in the nmethod itself, since then (jdk-25+36 src/hotspot/share/code/nmethod.hpp) in
// memory beside it.
void PlaceScopes(const VmFields& fields, HotspotLayout& layout) {
  const VmField data = fields.nmethod_immutable_data;
  layout.scopes_pcs_begin = {data, fields.nmethod_scopes_pcs_offset};
  if (data.exists()) {
    layout.scopes_pcs_end = {data, fields.nmethod_scopes_data_offset};
    layout.scopes_data = {data, fields.nmethod_scopes_data_offset};
    layout.metadata = {fields.blob_mutable_data, fields.blob_relocation_size};
    return;
  }
  layout.scopes_pcs_end = {{}, fields.nmethod_dependencies_offset};
  layout.scopes_data =
      PointerOrOffset(fields.nmethod_scopes_data, fields.nmethod_scopes_data_offset);
  layout.metadata = {{}, fields.nmethod_metadata_offset};
}

void PlaceMethods(const VmFields& fields, HotspotLayout& layout) {
  layout.method_const = fields.method_const;
  layout.method_access_flags = fields.method_access_flags;
  layout.const_constants = fields.const_constants;
  layout.const_idnum = fields.const_idnum;
  layout.const_code_size = fields.const_code_size;
  layout.pool_holder = fields.pool_holder;
  layout.klass_method_ids = fields.klass_method_ids;
}

void PlaceThreads(const VmStructs& structs, HotspotLayout& layout) {
  layout.thread_stack_base = structs.fields.thread_stack_base;
  layout.thread_stack_size = structs.fields.thread_stack_size;
  layout.thread_anchor = structs.layout.thread_anchor.value_or(0);
  layout.wrapper_anchor = structs.layout.wrapper_anchor.value_or(0);
  layout.anchor_sp = structs.fields.anchor_sp;
  layout.anchor_pc = structs.fields.anchor_pc;
  layout.anchor_fp = structs.fields.anchor_fp;
  layout.thread_continuation = structs.fields.thread_continuation;
}

// "": nothing.
std::string FirstMissing(const VmStructs& structs, const HotspotLayout& layout) {
  const VmTables& tables = structs.tables;
  const VmStatics& statics = structs.statics;
  const VmFields& fields = structs.fields;
  const std::pair<const char*, bool> needed[] = {
      {"CodeCache._heaps", statics.code_heaps != nullptr || statics.code_heap != nullptr},
      {"GrowableArray._data", statics.code_heap != nullptr ||
                                  (fields.array_length.exists() && fields.array_data.exists())},
      {"CodeHeap._memory", structs.layout.heap_memory && structs.layout.heap_segment_map},
      {"CodeHeap._log2_segment_size", fields.heap_log2_segment_size.exists()},
      {"VirtualSpace._low_boundary", fields.space_low.exists() && fields.space_high.exists()},
      {"size of HeapBlock", tables.SizeOf("HeapBlock").has_value()},
      {"size of ConstMethod", tables.SizeOf("ConstMethod").has_value()},
      {"AbstractInterpreter._code", statics.interpreter_code != nullptr},
      {"StubQueue._stub_buffer", fields.stubs_buffer.exists() && fields.stubs_limit.exists()},
      {"StubRoutines._call_stub_return_address", statics.call_stub_return != nullptr},
      {"CodeBlob._code_begin", layout.code_begin.exists() && layout.code_end.exists()},
      {"CodeBlob._name", layout.blob_name.exists() || layout.blob_kind.exists()},
      {"CodeBlob._frame_size", layout.blob_frame_size.exists()},
      {"CodeBlob._frame_complete_offset", layout.blob_frame_complete.exists()},
      {"nmethod._method", layout.nmethod_method.exists()},
      {"nmethod._comp_level", layout.nmethod_level.exists()},
      {"nmethod._orig_pc_offset", layout.nmethod_orig_pc_offset.exists()},
      {"nmethod._verified_entry_point", layout.verified_entry.exists()},
      {"nmethod._deopt_handler_offset", layout.deopt_handler.exists()},
      {"nmethod._scopes_pcs_offset", layout.scopes_pcs_begin.offset.exists()},
      {"end of nmethod._scopes_pcs", layout.scopes_pcs_end.offset.exists()},
      {"nmethod._scopes_data", layout.scopes_data.exists()},
      {"nmethod._metadata_offset", layout.metadata.exists()},
      {"Method._constMethod", layout.method_const.exists()},
      {"Method._access_flags", layout.method_access_flags.exists()},
      {"ConstMethod._constants", layout.const_constants.exists()},
      {"ConstMethod._method_idnum", layout.const_idnum.exists()},
      {"ConstMethod._code_size", layout.const_code_size.exists()},
      {"ConstantPool._pool_holder", layout.pool_holder.exists()},
      {"InstanceKlass._methods_jmethod_ids", layout.klass_method_ids.exists()},
      {"JavaThread._stack_base", layout.thread_stack_base.exists()},
      {"JavaThread._stack_size", layout.thread_stack_size.exists()},
      {"JavaThread._anchor", structs.layout.thread_anchor.has_value()},
      {"JavaCallWrapper._anchor", structs.layout.wrapper_anchor.has_value()},
      {"JavaFrameAnchor._last_Java_sp", layout.anchor_sp.exists()},
      {"JavaFrameAnchor._last_Java_pc", layout.anchor_pc.exists()},
      {"JavaFrameAnchor._last_Java_fp", layout.anchor_fp.exists()},
  };
  const auto* missing = std::find_if(std::begin(needed), std::end(needed),
                                     [](const auto& row) { return !row.second; });
  return missing == std::end(needed) ? "" : missing->first;
}

CodeHeapLayout HeapAt(const VmStructs& structs, uint64_t heap) {
  const VmFields& fields = structs.fields;
  const uint64_t memory = heap + *structs.layout.heap_memory;
  const uint64_t map = heap + *structs.layout.heap_segment_map;
  return {Read<uint64_t>(memory, fields.space_low), Read<uint64_t>(memory, fields.space_high),
          Read<uint64_t>(map, fields.space_low),
          static_cast<uint32_t>(Read<int32_t>(heap, fields.heap_log2_segment_size))};
}

// Of a segment in bytes. HotSpot's have some hundred (-XX:CodeCacheSegmentSize); a shift by 64 or
// more is not defined.
constexpr uint32_t kMaxLog2SegmentSize = 30;

// The heaps are made at start-up and stay (jdk-17+35 src/hotspot/share/code/codeCache.cpp,
// CodeCache::initialize_heaps; one heap without -XX:+SegmentedCodeCache).
Status ReadHeaps(const VmStructs& structs, HotspotLayout& layout) {
  if (structs.statics.code_heap != nullptr) {
    layout.heaps[layout.heap_count++] = HeapAt(structs, *structs.statics.code_heap);
  } else {
    const uint64_t array = *structs.statics.code_heaps;
    const auto count = static_cast<uint32_t>(Read<int32_t>(array, structs.fields.array_length));
    if (count == 0 || count > HotspotLayout::kMaxCodeHeaps) {
      return Error("this JVM has " + std::to_string(count) + " code heaps");
    }
    const auto data = Read<uint64_t>(array, structs.fields.array_data);
    for (uint32_t i = 0; i < count; ++i) {
      layout.heaps[layout.heap_count++] = HeapAt(structs, ReadWord(data + i * sizeof(uint64_t)));
    }
  }
  layout.code_low = UINT64_MAX;
  for (uint32_t i = 0; i < layout.heap_count; ++i) {
    if (layout.heaps[i].log2_segment_size > kMaxLog2SegmentSize) {
      return Error("this JVM has code heaps in segments of 2^" +
                   std::to_string(layout.heaps[i].log2_segment_size) + " bytes");
    }
    layout.code_low = std::min(layout.code_low, layout.heaps[i].low);
    layout.code_high = std::max(layout.code_high, layout.heaps[i].high);
  }
  return {};
}

}  // namespace

Result<HotspotLayout> ReadHotspotLayout(const VmStructs& structs, int64_t env_offset,
                                        int java_release) {
  const VmTables& tables = structs.tables;
  HotspotLayout layout{};
  PlaceCode(structs.fields, layout);
  PlaceScopes(structs.fields, layout);
  PlaceMethods(structs.fields, layout);
  PlaceThreads(structs, layout);
  const std::string missing = FirstMissing(structs, layout);
  if (!missing.empty()) return Error("this JVM does not export " + missing);

  layout.nmethod_kind = tables.ValueOf("CodeBlobKind::Nmethod").value_or(0);
  layout.heap_block_size = static_cast<uint32_t>(*tables.SizeOf("HeapBlock"));
  layout.const_method_size = static_cast<uint32_t>(*tables.SizeOf("ConstMethod"));
  layout.unsigned5_bias = java_release >= kFirstReleaseWithBias ? 1 : 0;
  layout.env_offset = env_offset;
  layout.interpreter_bcp_slot = InterpreterBcpSlot(java_release);
  layout.entry_wrapper_slot =
      tables.ValueOf("frame::entry_frame_call_wrapper_offset").value_or(kEntryWrapperSlot);
  layout.call_stub_return = *structs.statics.call_stub_return;
  if (structs.statics.continuation_return != nullptr) {
    layout.continuation_return = *structs.statics.continuation_return;
  }
  const uint64_t stubs = *structs.statics.interpreter_code;
  if (stubs == 0 || layout.call_stub_return == 0) return Error("this JVM has no interpreter yet");
  layout.interpreter_begin = Read<uint64_t>(stubs, structs.fields.stubs_buffer);
  layout.interpreter_end = layout.interpreter_begin +
                           static_cast<uint64_t>(Read<int32_t>(stubs, structs.fields.stubs_limit));
  const Status heaps = ReadHeaps(structs, layout);
  if (!heaps) return heaps.error();
  return layout;
}

}  // namespace jprof
