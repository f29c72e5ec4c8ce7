// The constants that events refer to, as plain data for ConstantPools. Strings are UTF-8 views that
// need to live only during the call to ConstantPools. Plain values, usable on any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace jprof {

// The execution mode of a frame. The values are keys in the file and must not change, because
// async-profiler's converter takes the key as the kind of the frame, and the low bits of the key as
// a colour (src/converter/one/convert/Frame.java, v4.5). kInterpreted is 0, as in the JDK's own
// recordings. The converter shows kJava as compiled code.
enum class FrameType : uint32_t {
  kInterpreted = 0,
  kJitCompiled = 1,
  kInlined = 2,
  kNative = 3,
  kCpp = 4,
  kKernel = 5,
  kC1Compiled = 6,
  kJava = 17,  // the compiler is unknown
};

// The state of a thread at a sample. The values are keys in the file.
enum class ThreadState : uint32_t {
#define THREAD_STATE(name, key, text) name = (key),
#include "base/thread_states.def"
#undef THREAD_STATE
};

// The moment of a heap summary. The values are keys in the file.
enum class GCWhen : uint32_t { kBefore = 1, kAfter = 2 };

struct ThreadConstant {
  uint64_t serial = 0;  // identifies the thread; a tid does not, because later threads reuse it
  int32_t os_tid = 0;
  std::string_view os_name = {};
  std::string_view java_name = {};  // empty: not a Java thread, or a Java thread without a name
  int64_t java_id = 0;
  uint32_t group_key = 0;
  bool is_virtual = false;
};

struct ClassConstant {
  std::string_view name = {};  // internal form: java/lang/String, [I
  uint32_t loader_key = 0;     // 0: the boot loader
  uint32_t modifiers = 0;
  bool hidden = false;  // JMC and `jfr print` omit hidden frames
};

// A native frame is a method whose class is named after the library and whose descriptor is "()L;"
// ("(Lk;)L;" in the kernel): an empty descriptor breaks `jfr print`.
struct MethodConstant {
  uint32_t class_key = 0;
  std::string_view name = {};
  std::string_view descriptor = {};
  uint32_t modifiers = 0;
  bool hidden = false;
};

struct ClassLoaderConstant {
  uint32_t class_key = 0;  // 0: the boot loader
  std::string_view name = {};
};

struct ThreadGroupConstant {
  uint32_t parent_key = 0;  // 0: the topmost group
  std::string_view name = {};
};

struct FrameConstant {
  uint32_t method_key = 0;
  int32_t line = 0;  // 0: unknown. Not -1, which async-profiler shows as 65535
  int32_t bci = 0;
  FrameType type = FrameType::kJava;
};

enum class Truncated : bool { kNo, kYes };

}  // namespace jprof
