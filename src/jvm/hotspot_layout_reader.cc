#include "jvm/hotspot_layout_reader.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "jvm/class_layout_reader.h"
#include "jvm/frame_slots.h"
#include "jvm/hidden_variables.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvm_information.h"
#include "jvm/vm_flags.h"
#include "jvm/vm_structs.h"

namespace jprof {
namespace {

// Returns the layout of the lock stacks, in which this JVM keeps the objects that a thread has
// locked without monitors. The layout is empty if the JVM has no lock stacks, or uses a collector
// that moves objects while threads run.
LockStackLayout ReadLockStackLayout(const VmStructs& structs) {
  bool moves_in_pauses = false;
  for (const char* flag : {"UseSerialGC", "UseParallelGC", "UseG1GC"}) {
    moves_in_pauses = moves_in_pauses || BoolFlag(structs, flag).value_or(false);
  }
  const VmFields& fields = structs.fields;
  const uint64_t* const heap = structs.statics.collected_heap;
  if (!moves_in_pauses || heap == nullptr || *heap == 0 || !fields.thread_lock_stack ||
      !fields.lock_stack_top.exists() || !fields.lock_stack_base ||
      !fields.heap_collections.exists()) {
    return {};
  }
  LockStackLayout layout{fields.lock_stack_top, *fields.thread_lock_stack + *fields.lock_stack_base,
                         *heap, fields.heap_collections};
  layout.top.offset += *fields.thread_lock_stack;
  return layout;
}

// The first release whose UNSIGNED5 encoding never contains the zero byte (JDK-8292758).
constexpr int kFirstReleaseWithBias = 20;
// The first release that computes Math.sin and other functions in stubs and not by calls into the
// VM (JDK-7088419 and its successors).
constexpr int kFirstReleaseWithMathStubs = 9;

// Returns the place to which the field `pointer` of an object points. If this JVM has no such
// field, returns the place whose offset from the object is in the field `offset`.
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

// Sets where the scopes of an nmethod are. They are in the nmethod itself up to JDK 21, and in
// separate memory in later releases (jdk-25+36 src/hotspot/share/code/nmethod.hpp).
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
  layout.const_max_stack = fields.const_max_stack;
  layout.pool_holder = fields.pool_holder;
}

void PlaceAnchors(const VmFields& fields, HotspotLayout& layout) {
  layout.thread_anchor = *fields.thread_anchor;
  layout.wrapper_anchor = *fields.wrapper_anchor;
  layout.anchor_sp = fields.anchor_sp;
  layout.anchor_pc = fields.anchor_pc;
  layout.anchor_fp = fields.anchor_fp;
}

VmField FieldAt(const std::optional<uint32_t>& offset, uint8_t width) {
  return offset ? VmField{*offset, width, true} : VmField{};
}

// Sets the fields for allocations. If the JVM does not export all of these fields, sets none.
void PlaceAllocations(const VmFields& fields, HotspotLayout& layout) {
  const bool has_all = fields.thread_allocated_bytes.exists() && fields.thread_tlab &&
                       fields.tlab_start.exists() && fields.tlab_top.exists();
  if (!has_all) return;
  layout.thread_allocated_bytes = fields.thread_allocated_bytes;
  layout.tlab_start = fields.tlab_start;
  layout.tlab_top = fields.tlab_top;
  layout.tlab_start.offset += *fields.thread_tlab;
  layout.tlab_top.offset += *fields.thread_tlab;
}

CodeHeapLayout HeapAt(const VmStructs& structs, uint64_t heap) {
  const VmFields& fields = structs.fields;
  const uint64_t memory = heap + *structs.fields.heap_memory;
  const uint64_t map = heap + *structs.fields.heap_segment_map;
  return {Read<uint64_t>(memory, fields.space_low), Read<uint64_t>(memory, fields.space_high),
          Read<uint64_t>(map, fields.space_low),
          static_cast<uint32_t>(Read<int32_t>(heap, fields.heap_log2_segment_size))};
}

// The largest accepted logarithm of a segment's size in bytes. HotSpot's segments have a few
// hundred bytes (-XX:CodeCacheSegmentSize); a shift by 64 or more is undefined.
constexpr uint32_t kMaxLog2SegmentSize = 30;

// Reads the code heaps, which the VM makes at start-up and keeps (jdk-17+35
// src/hotspot/share/code/codeCache.cpp, CodeCache::initialize_heaps). Without
// -XX:+SegmentedCodeCache there is one heap.
Status ReadHeaps(const VmStructs& structs, HotspotLayout& layout) {
  if (structs.statics.code_heap != nullptr) {
    layout.heaps[layout.heap_count++] = HeapAt(structs, *structs.statics.code_heap);
  } else {
    if (!structs.fields.array_length.exists() || !structs.fields.array_data.exists()) {
      return NotExportedByJvm("GrowableArray._data");
    }
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

Status ReadInterpreter(const VmStructs& structs, HotspotLayout& layout) {
  layout.call_stub_return = *structs.statics.call_stub_return;
  const uint64_t stubs = *structs.statics.interpreter_code;
  if (stubs == 0 || layout.call_stub_return == 0) return Error("this JVM has no interpreter yet");
  layout.interpreter_begin = Read<uint64_t>(stubs, structs.fields.stubs_buffer);
  layout.interpreter_end = layout.interpreter_begin +
                           static_cast<uint64_t>(Read<int32_t>(stubs, structs.fields.stubs_limit));
  layout.continuation_return = structs.statics.continuation_return;
  return {};
}

// Reads the part of the layout that a walk needs.
Status ReadFrames(const VmStructs& structs, int java_release, HotspotLayout& layout) {
  if (java_release == 0) return Error("this JVM does not say which release of Java it is");
  if (structs.tables.fields.empty()) return NotExportedByJvm("its tables");
  if (!structs.missing_for_walks.empty()) {
    return NotExportedByJvm(structs.missing_for_walks);
  }
  const VmTables& tables = structs.tables;
  PlaceCode(structs.fields, layout);
  PlaceScopes(structs.fields, layout);
  PlaceMethods(structs.fields, layout);
  ReadClassLayout(structs, java_release, layout);
  PlaceAnchors(structs.fields, layout);
  layout.nmethod_kind = tables.ValueOf("CodeBlobKind::Nmethod").value_or(0);
  layout.heap_block_size = *structs.fields.heap_block_size;
  layout.const_method_size = *structs.fields.const_method_size;
  layout.unsigned5_bias = java_release >= kFirstReleaseWithBias ? 1 : 0;
  layout.interpreter_bcp_slot = InterpreterBcpSlot(java_release);
  layout.sender_sp_register = SenderSpNumber(java_release);
  layout.saves_all_registers = java_release < kFirstReleaseWithMathStubs;
  layout.entry_wrapper_slot =
      tables.ValueOf("frame::entry_frame_call_wrapper_offset").value_or(kEntryWrapperSlot);
  const Status interpreter = ReadInterpreter(structs, layout);
  return interpreter ? ReadHeaps(structs, layout) : interpreter;
}

// Values of JavaThreadState (jdk-25+36 src/hotspot/share/utilities/globalDefinitions.hpp). They are
// the same in jdk-17.
constexpr int32_t kThreadInVm = 6;
constexpr int32_t kThreadInJava = 8;

Result<ReferenceLayout> ReadReferenceLayout(const VmStructs& structs) {
  ReferenceLayout layout{};
  const VmStatics& statics = structs.statics;
  if (BoolFlag(structs, "UseZGC").value_or(false)) {
    const VmFields& fields = structs.fields;
    const uint64_t globals = statics.z_globals == nullptr ? 0 : *statics.z_globals;
    if (globals == 0 || !fields.bad_colours.exists() || !fields.colour_bits.exists()) {
      return Error("this JVM does not say how ZGC colours references");
    }
    layout.bad_colours = *reinterpret_cast<const uint64_t**>(globals + fields.bad_colours.offset);
    layout.colour_bits = *reinterpret_cast<const uint64_t**>(globals + fields.colour_bits.offset);
    if (layout.bad_colours == nullptr || layout.colour_bits == nullptr) {
      return Error("references have other colours in this ZGC");
    }
    return layout;
  }
  if (statics.narrow_oop_base == nullptr || statics.narrow_oop_shift == nullptr) {
    return Error("this JVM does not say how references are compressed");
  }
  layout.narrow = BoolFlag(structs, "UseCompressedOops").value_or(true);
  layout.narrow_base = *statics.narrow_oop_base;
  layout.narrow_shift = static_cast<uint32_t>(*statics.narrow_oop_shift);
  return layout;
}

// Returns the layout by which a handler finds the java.lang.Thread that is mounted on a JavaThread.
// The layout has the encoding that the JVM's garbage collector uses for references, and the thread
// states in which a reference may be followed. Its member `thread_current` is 0 if the JVM does not
// export JavaThread._vthread. An error says why references cannot be read.
Result<MountedThreadLayout> ReadMountedThreadLayout(const VmStructs& structs) {
  const Result<ReferenceLayout> references = ReadReferenceLayout(structs);
  if (!references) return references.error();
  const FollowableStates followable{
      structs.fields.thread_state,
      structs.tables.ValueOf("_thread_in_Java").value_or(kThreadInJava),
      structs.tables.ValueOf("_thread_in_vm").value_or(kThreadInVm)};
  return MountedThreadLayout{references.value(), followable,
                             structs.fields.thread_current.value_or(0)};
}

// Returns the layout of jdk.internal.vm.StackChunk, the object in the Java heap in which HotSpot
// keeps the frames of an unmounted virtual thread. The member `stack` of the layout is 0 if the
// layout cannot be read. The usual reason is that libjvm.so has no .symtab, and no other table
// lists the offsets. `mounted` is the result of ReadMountedThreadLayout.
StackChunkLayout ReadStackChunkLayout(const HiddenVariables& hidden,
                                      const MountedThreadLayout& mounted,
                                      const ObjectFields& fields) {
  const std::optional<uint32_t> cont = fields.OffsetOf("java.lang.VirtualThread", "cont");
  const bool has_colours = mounted.references.bad_colours != nullptr;
  if (has_colours && (mounted.thread_current == 0 || !cont)) return {};
  StackChunkLayout layout = hidden.StackChunk().value_or(StackChunkLayout{});
  layout.thread_continuation = cont.value_or(0);
  return layout;
}

// Returns the offset of the length in a byte[] (jdk-25+36 src/hotspot/share/oops/arrayOop.hpp). The
// length follows the mark word and the class pointer; compact headers have the class pointer in the
// mark word. The bytes follow the length directly.
uint32_t ArrayLengthOffset(const VmStructs& structs) {
  constexpr uint32_t kMark = 8;
  constexpr uint32_t kNarrowClass = 4;
  constexpr uint32_t kWideClass = 8;
  if (BoolFlag(structs, "UseCompactObjectHeaders").value_or(false)) return kMark;
  const bool narrow = BoolFlag(structs, "UseCompressedClassPointers").value_or(true);
  return kMark + (narrow ? kNarrowClass : kWideClass);
}

ThreadNameLayout ReadNameLayout(const VmStructs& structs, const ObjectFields& fields) {
  const auto thread_id = fields.OffsetOf("java.lang.Thread", "tid");
  const auto thread_name = fields.OffsetOf("java.lang.Thread", "name");
  const auto text_value = fields.OffsetOf("java.lang.String", "value");
  const auto text_coder = fields.OffsetOf("java.lang.String", "coder");
  if (!thread_id || !thread_name || !text_value || !text_coder) return {};
  const uint32_t length = ArrayLengthOffset(structs);
  return {*thread_id,  *thread_name, *text_value,
          *text_coder, length,       length + static_cast<uint32_t>(sizeof(int32_t))};
}

// Fills the part of `layout` by which a signal handler finds the virtual thread that is mounted on
// the interrupted thread. An error names the missing part; samples of virtual threads are then
// attributed to their carriers. If only the names of threads cannot be read, there is no error, and
// the ThreadNameLayout is empty. REQUIRES: a JVM that has virtual threads.
Status ReadVirtualThreads(const VmStructs& structs, const ObjectFields& fields,
                          HotspotLayout* layout) {
  layout->thread_current_id = structs.fields.thread_current_id;
  layout->thread_continuation = structs.fields.thread_continuation;
  const HiddenVariables hidden = HiddenVariables::Find();
  if (!layout->thread_continuation.exists()) {
    if (const auto continuation = hidden.Continuation(*layout)) {
      layout->continuation_return = continuation->return_pc;
      layout->thread_continuation = {continuation->entry_offset, sizeof(uint64_t), false};
    }
  }
  const Result<MountedThreadLayout> mounted = ReadMountedThreadLayout(structs);
  if (mounted) {
    layout->mounted = mounted.value();
    if (layout->thread_continuation.exists()) {
      layout->chunk = ReadStackChunkLayout(hidden, mounted.value(), fields);
    }
  }
  if (layout->mounted.thread_current != 0) layout->names = ReadNameLayout(structs, fields);
  if (layout->finds_virtual_threads()) return {};
  if (!mounted) return mounted.error();
  return NotExportedByJvm("JavaThread._monitor_owner_id");
}

}  // namespace

HotspotLayout ReadJavaThreadLayout(const VmStructs& structs) {
  HotspotLayout layout{};
  layout.thread_stack_base = structs.fields.thread_stack_base;
  layout.thread_stack_size = structs.fields.thread_stack_size;
  layout.thread_polled_pc = structs.fields.thread_polled_pc;
  layout.thread_osthread = FieldAt(structs.fields.thread_osthread, sizeof(void*));
  // pid_t on Linux: jdk-17+35 src/hotspot/os/linux/osThread_linux.hpp, OSThread::thread_id_t.
  layout.osthread_thread_id = FieldAt(structs.fields.osthread_thread_id, sizeof(int32_t));
  layout.osthread_state = FieldAt(structs.fields.osthread_state, sizeof(int32_t));
  layout.thread_pending_monitor = FieldAt(structs.fields.thread_pending_monitor, sizeof(uint64_t));
  layout.thread_waiting_monitor = FieldAt(structs.fields.thread_waiting_monitor, sizeof(uint64_t));
  layout.monitor_owner = FieldAt(structs.fields.monitor_owner, sizeof(uint64_t));
  return layout;
}

HotspotReading ReadHotspot(const VmStructs& structs, std::optional<int64_t> env_offset,
                           int java_release, const ObjectFields& fields) {
  HotspotReading reading{ReadJavaThreadLayout(structs), env_offset.has_value(), {}, {}};
  if (!env_offset) {
    reading.walk = reading.virtual_threads = Error("this JVM does not say where a JNIEnv is");
  } else {
    reading.layout.env_offset = *env_offset;
    reading.layout.lock_stack = ReadLockStackLayout(structs);
    PlaceAllocations(structs.fields, reading.layout);
    reading.walk = ReadFrames(structs, java_release, reading.layout);
  }
  // A JVM without virtual threads exports nothing about them, which is no error.
  if (java_release < kFirstJdkWithVirtualThreads) {
    reading.virtual_threads = {};
  } else if (env_offset) {
    reading.virtual_threads = ReadVirtualThreads(structs, fields, &reading.layout);
  }
  return reading;
}

}  // namespace jprof
