// HotspotLayout: the layout of the running HotSpot's memory: offsets of fields, addresses,
// constants. It is filled once by jvm/hotspot_layout_reader from the tables that libjvm.so exports,
// and then immutable for the life of the process.
//
// A field that this JVM does not export has exists() false. The fields for walking compiled and
// interpreted frames are used only if all of them exist (HotspotReading::walk).
//
// Async-signal-safe, on any thread. An address is a uint64_t, because no address here may be
// dereferenced as a C++ pointer: loads are guarded (guarded_load.h) or safe (safe_load.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "sigsafe/os/guarded_load.h"

namespace jprof {

inline constexpr int kWordSize = 8;

// An integer or pointer within an object. The width is 0 if this JVM has no such field.
struct VmField {
  uint32_t offset = 0;
  uint8_t width = 0;  // bytes: 1, 2, 4 or 8
  bool is_signed = false;

  constexpr bool exists() const { return width != 0; }

  // Loads the field, sign- or zero-extended, by a guarded load. REQUIRES: exists().
  [[nodiscard]] bool Load(uint64_t object, int64_t* to) const;

  // Loads the field, which is a pointer to an object of the VM, by a guarded load. Returns false if
  // it is null or not aligned. REQUIRES: exists().
  [[nodiscard]] bool LoadPointer(uint64_t object, uint64_t* to) const {
    int64_t value = 0;
    if (!Load(object, &value) || value == 0 || value % kWordSize != 0) return false;
    *to = static_cast<uint64_t>(value);
    return true;
  }

  // Loads the field by a safe load (two system calls), for threads whose faults are not caught.
  // REQUIRES: exists().
  [[nodiscard]] bool LoadSafely(uint64_t object, int64_t* to) const;
};

// An address that is the sum of a base and an offset. Releases of HotSpot store one of the two, or
// both.
struct VmPlace {
  VmField pointer;  // the field with the base; if it does not exist, the base is the object itself
  VmField offset;   // the field with the offset; if it does not exist, the offset is 0

  constexpr bool exists() const { return pointer.exists() || offset.exists(); }

  [[nodiscard]] bool Find(uint64_t object, uint64_t* to) const;
};

// A part of the code cache. The bounds, and the address of the map of segments, never change.
struct CodeHeapLayout {
  uint64_t low;
  uint64_t high;         // end of the reserved memory
  uint64_t segment_map;  // address of the map, which has a byte per segment
  uint32_t log2_segment_size;
};

// The format of references under the running collector.
struct ReferenceLayout {
  bool narrow;  // true if references in objects have 32 bits, to be shifted and added to a base
  uint32_t narrow_shift;
  uint64_t narrow_base;
  // Two variables of ZGC in the VM's memory: the mask of the bad colours, and the number of colour
  // bits. Both pointers are nullptr if references have no colours. Colours are state bits, the
  // lowest bits of a reference; the bits above them have the address of the object. A reference
  // with bad colours is not followed, because it has to be remapped first (jdk-25+36
  // src/hotspot/share/gc/z/zAddress.hpp, ZPointerLoadBadMask and ZPointerLoadShift).
  const uint64_t* bad_colours;
  const uint64_t* colour_bits;
};

// The states of a thread in which it may follow references (heap_reference.h).
struct FollowableStates {
  VmField thread_state;  // a field of JavaThread
  int64_t in_java;
  int64_t in_vm;
};

// The data for finding, in the heap, the java.lang.Thread that a JavaThread runs.
struct MountedThreadLayout {
  ReferenceLayout references;
  FollowableStates followable;
  // Offset of JavaThread._vthread, an OopHandle; 0 if this JVM does not export that field.
  uint32_t thread_current;
};

// The byte offsets of the fields by which the frames of virtual threads are found in the heap.
struct StackChunkLayout {
  uint32_t continuation_tail;  // jdk.internal.vm.Continuation: its last chunk
  uint32_t parent;             // jdk.internal.vm.StackChunk: the chunk before this one
  uint32_t size;               // StackChunk: size of the stack in words
  uint32_t sp;                 // StackChunk: word of the stack where the innermost frame starts
  uint32_t bottom;             // StackChunk: word of the stack where the outermost frame ends
  // StackChunk: the greatest number of words that its frames can take on the stack; 0 if this JVM
  // does not export it.
  uint32_t max_thawing_size;
  uint32_t stack;  // StackChunk: start of the stack; 0 if this JVM does not export it
  // java.lang.VirtualThread: its continuation. This field is used if references have colours. The
  // reference on the stack, in the ContinuationEntry, can then be stale. So the continuation is
  // found through the mounted virtual thread (HotspotLayout::mounted).
  uint32_t thread_continuation;
};

// Names of threads: byte offsets in objects of the heap.
struct ThreadNameLayout {
  uint32_t thread_id;     // java.lang.Thread.tid
  uint32_t thread_name;   // java.lang.Thread.name
  uint32_t text_value;    // java.lang.String.value
  uint32_t text_coder;    // java.lang.String.coder
  uint32_t array_length;  // length of a byte[]
  uint32_t array_data;    // elements of a byte[]; 0 if names cannot be read
};

// The stack of the objects that a thread has locked without monitors (LM_LIGHTWEIGHT). A garbage
// collection changes the addresses of the objects.
struct LockStackLayout {
  VmField top;          // JavaThread: offset in bytes from the JavaThread to the end of the entries
  uint32_t base = 0;    // offset from the JavaThread to the first entry; 0 if unknown
  uint64_t heap = 0;    // address of the CollectedHeap
  VmField collections;  // CollectedHeap: collections so far, counted before objects move
};

// How to find the names of methods and classes. All texts of the VM are Symbols, in modified UTF-8.
struct NameLayout {
  // --- texts; symbol_length exists if names can be read
  VmField symbol_length;  // Symbol: bytes of its text
  uint32_t symbol_body;   // offset of the text in a Symbol
  VmField pool_length;    // ConstantPool: number of entries
  uint32_t pool_size;     // sizeof(ConstantPool), after which the entries start, a word each

  // --- methods
  VmField method_name;        // ConstMethod: index of the name in the constant pool
  VmField method_descriptor;  // ConstMethod: index of the descriptor
  VmField const_words;        // ConstMethod: its size in words, with the tables that follow it
  VmField const_flags;        // ConstMethod
  int32_t has_lines;          // flag of a ConstMethod with a table of lines; 0 if not known

  // --- classes
  VmField klass_name;          // Klass: Symbol*
  VmField klass_access_flags;  // Klass: the flags in the class file, outside of any attribute
  VmField klass_modifiers;     // Klass: the modifiers of the class; does not exist from JDK 25 on
  // InstanceKlass: the array of inner classes, which has the modifiers of a class that is nested in
  // another one. Exists if klass_modifiers does not.
  VmField inner_classes;
  VmField klass_constants;  // InstanceKlass: its ConstantPool
  VmField source_file;      // index of the source file's name in the constant pool
  bool source_is_in_pool;   // true if source_file is a field of the ConstantPool, not of the class

  // --- class loaders
  VmField klass_loader;   // Klass: its ClassLoaderData
  VmField loader_object;  // ClassLoaderData: null for the boot loader
  // ClassLoaderData: Klass* of the loader and Symbol* of its name. In JDK 8, neither exists.
  VmField loader_class;
  VmField loader_name;
  // JDK 8 reads the class of the loader from the header of the object at loader_object.
  VmField object_class;       // the class in the header of an object; exists only in JDK 8
  uint64_t narrow_base;       // base of a narrow class
  uint32_t narrow_shift;      // shift of a narrow class
  VmField klass_super;        // Klass: its superclass
  uint64_t class_of_loaders;  // Klass* of java.lang.ClassLoader
};

struct HotspotLayout {
  static constexpr size_t kMaxCodeHeaps = 4;

  // --- code cache
  uint64_t code_low;
  uint64_t code_high;
  CodeHeapLayout heaps[kMaxCodeHeaps];
  uint32_t heap_count;
  uint32_t heap_block_size;  // sizeof(HeapBlock), the header before each blob

  // --- CodeBlob, nmethod
  VmPlace code_begin;
  VmPlace code_end;
  VmField blob_name;            // const char*
  VmField blob_kind;            // the kind of blob; exists from JDK 25 on
  int64_t nmethod_kind;         // the value of blob_kind for nmethods
  VmField blob_frame_size;      // words
  VmField blob_frame_complete;  // offset from code_begin; -1 if never complete
  VmField nmethod_method;
  VmField nmethod_level;
  VmField nmethod_orig_pc_offset;
  VmPlace verified_entry;  // an offset from code_begin if `pointer` does not exist
  VmPlace deopt_handler;
  VmPlace deopt_mh_handler;  // exists in some releases only
  VmPlace scopes_pcs_begin;
  VmPlace scopes_pcs_end;
  VmPlace scopes_data;
  VmPlace metadata;
  uint8_t unsigned5_bias;  // 1 from JDK 20 on (JDK-8292758), else 0

  // --- Method, ConstMethod, constant pool
  VmField method_const;
  VmField method_access_flags;
  VmField const_constants;
  VmField const_idnum;
  VmField const_code_size;
  VmField const_max_stack;     // number of words for operands in an interpreted frame
  uint32_t const_method_size;  // sizeof(ConstMethod), after which the bytecodes start
  VmField pool_holder;
  VmField klass_number;  // Klass: number of the class, in the upper 48 bits (class_layout_reader.h)
  NameLayout names_of_methods;

  // --- interpreter and stubs
  uint64_t interpreter_begin;
  uint64_t interpreter_end;
  uint64_t call_stub_return;
  // The address of the variable ContinuationEntry::_return_pc; nullptr if it was not found. HotSpot
  // sets the variable when it links Continuation.enterSpecial. Releases before JDK 25 link this
  // method only when the first virtual thread runs.
  const uint64_t* continuation_return;
  uint64_t continuation_entry;  // Method of Continuation.enterSpecial; 0 if unknown
  // The words with the bytecode pointer in an interpreted frame, and with the JavaCallWrapper in an
  // entry frame, counted from the frame pointer.
  int32_t interpreter_bcp_slot;
  int32_t entry_wrapper_slot;
  // DWARF's number of the register that has the caller's stack pointer while the interpreter enters a
  // method.
  uint8_t sender_sp_register;
  bool saves_all_registers;  // true if compiled methods can save all registers (JDK 8)

  // --- JavaThread
  int64_t env_offset;          // offset of the JNIEnv in the JavaThread
  VmField thread_stack_base;   // the first address above the stack
  VmField thread_stack_size;   // size of the stack in bytes
  VmField thread_osthread;     // OSThread*
  VmField osthread_thread_id;  // OSThread: kernel thread id
  VmField osthread_state;      // OSThread: the reason of a wait
  VmField thread_polled_pc;    // where the thread has last faulted in compiled code, as at a poll
  uint32_t thread_anchor;
  uint32_t wrapper_anchor;
  VmField anchor_sp;
  VmField anchor_pc;
  VmField anchor_fp;

  // --- Thread: its allocations; either all of these fields exist or none
  VmField thread_allocated_bytes;  // bytes allocated before its current TLAB
  VmField tlab_start;              // start of the TLAB; a field of the Thread
  VmField tlab_top;                // end of the TLAB's allocated part; a field of the Thread

  // --- monitors
  VmField thread_pending_monitor;  // JavaThread: ObjectMonitor* that the thread waits to enter
  VmField thread_waiting_monitor;  // JavaThread: ObjectMonitor* on which the thread is in wait()
  VmField monitor_owner;           // ObjectMonitor: its owner (engines/lock/lock_stacks.h)
  LockStackLayout lock_stack;

  // --- virtual threads
  VmField thread_continuation;  // JavaThread: ContinuationEntry*, null unless a continuation runs
  VmField thread_current_id;    // JavaThread: id of the java.lang.Thread that it runs (JDK 24 on)
  MountedThreadLayout mounted;
  StackChunkLayout chunk;
  ThreadNameLayout names;

  // True if this JVM shows which virtual thread a JavaThread runs.
  bool finds_virtual_threads() const { return thread_current_id.exists() || names.array_data != 0; }

  // True if a walk finds the frame at which a virtual thread is mounted.
  bool finds_mounts() const { return continuation_return != nullptr || continuation_entry != 0; }

  // Returns the address in Continuation.enterSpecial that is the return address of frames copied
  // back from the heap; 0 if it is not known, or if no virtual thread has run yet.
  uint64_t ContinuationReturn() const {
    return continuation_return == nullptr ? 0 : *continuation_return;
  }
};

// Returns the JavaThread that contains `jni_env`, at the offset `env_offset`.
inline uint64_t JavaThreadOf(const void* jni_env, int64_t env_offset) {
  return reinterpret_cast<uint64_t>(jni_env) - static_cast<uint64_t>(env_offset);
}

}  // namespace jprof
