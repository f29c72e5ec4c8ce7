// The functions of include/profiler/asgst.h about methods and classes. Handlers call them.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "profiler/asgst.h"
#include "sigsafe/asgst/exported.h"
#include "sigsafe/asgst/method_texts.h"
#include "sigsafe/asgst/stack_iterator.h"
#include "sigsafe/base/errno_saver.h"
#include "sigsafe/hotspot/java_method.h"
#include "sigsafe/hotspot/line_reader.h"
#include "sigsafe/os/forked_child.h"

namespace jprof::asgst {
namespace {

// Writes the text to the memory `to` of *length bytes, and sets *length.
void Write(std::string_view text, char* to, int32_t* length) {
  if (to != nullptr && *length > 0) {
    const size_t size = std::min(text.size(), static_cast<size_t>(*length) - 1);
    memcpy(to, text.data(), size);
    to[size] = '\0';
  }
  *length = static_cast<int32_t>(text.size());
}

uint64_t IdOf(const void* identity) { return reinterpret_cast<uint64_t>(identity); }

// Returns the state in which names can be read; nullptr if there is none.
const ApiState* StateForNames(int32_t* result) {
  const ApiState* const state = InForkedChild() ? nullptr : TheNames();
  if (state == nullptr) *result = InForkedChild() ? kForkedProcess : kNotStarted;
  return state;
}

}  // namespace
}  // namespace jprof::asgst

using namespace jprof::asgst;  // NOLINT(google-build-using-namespace): the entries of the library

extern "C" {

JPROF_EXPORTED int ASGST_GetMethodInfo(ASGST_Method method, ASGST_MethodInfo* info) {
  if (info == nullptr) return kWrongArgument;
  int32_t result = kUnknownMethod;
  const ApiState* const state = StateForNames(&result);
  const jprof::MethodRecord* record = state == nullptr ? nullptr : FindMethod(*state, IdOf(method));
  const bool is_known = record != nullptr;
  Write(is_known ? record->name() : std::string_view(), info->method_name,
        &info->method_name_length);
  Write(is_known ? record->descriptor() : std::string_view(), info->signature,
        &info->signature_length);
  info->generic_signature = nullptr;
  info->generic_signature_length = 0;
  info->klass = is_known ? reinterpret_cast<ASGST_Class>(ClassOf(record->id)) : nullptr;
  info->modifiers = is_known ? static_cast<int32_t>(record->modifiers) : 0;
  info->idnum = is_known ? ASGST_GetMethodIdNum(method) : 0;
  info->class_idnum = is_known ? static_cast<int64_t>(jprof::ClassNumberOf(record->id)) : 0;
  return is_known ? kMore : result;
}

JPROF_EXPORTED int ASGST_GetClassInfo(ASGST_Class klass, ASGST_ClassInfo* info) {
  if (info == nullptr) return kWrongArgument;
  int32_t result = kUnknownMethod;
  const ApiState* const state = StateForNames(&result);
  const jprof::ClassRecord* record = state == nullptr ? nullptr : FindClass(*state, IdOf(klass));
  const bool is_known = record != nullptr;
  Write(is_known ? record->name() : std::string_view(), info->class_name, &info->class_name_length);
  info->generic_class_name = nullptr;
  info->generic_class_name_length = 0;
  info->modifiers = is_known ? static_cast<int32_t>(record->modifiers) : 0;
  info->idnum = is_known ? static_cast<int64_t>(record->number) : 0;
  return is_known ? kMore : result;
}

JPROF_EXPORTED int32_t ASGST_GetMethodIdNum(ASGST_Method method) {
  int32_t result = 0;
  const ApiState* const state = StateForNames(&result);
  if (state == nullptr || FindMethod(*state, IdOf(method)) == nullptr) return 0;
  if (jprof::ClassNumberOf(IdOf(method)) == 0) return 0;
  return static_cast<int32_t>(IdOf(method) & ((uint64_t{1} << jprof::kIdnumBits) - 1));
}

JPROF_EXPORTED int64_t ASGST_GetClassIdNum(ASGST_Class klass) {
  int32_t result = 0;
  const ApiState* const state = StateForNames(&result);
  const jprof::ClassRecord* record = state == nullptr ? nullptr : FindClass(*state, IdOf(klass));
  return record == nullptr ? 0 : static_cast<int64_t>(record->number);
}

JPROF_EXPORTED ASGST_Class ASGST_GetClass(ASGST_Method method) {
  int32_t result = 0;
  const ApiState* const state = StateForNames(&result);
  if (state == nullptr || FindMethod(*state, IdOf(method)) == nullptr) return nullptr;
  return reinterpret_cast<ASGST_Class>(ClassOf(IdOf(method)));
}

JPROF_EXPORTED int ASGST_GetMethodLineNumberTable(ASGST_Method method,
                                                  ASGST_MethodLineNumberEntry* entries,
                                                  int length) {
  if (length < 0 || (entries == nullptr && length > 0)) return kWrongArgument;
  int32_t result = kUnknownMethod;
  const ApiState* const state = StateForNames(&result);
  const jprof::MethodRecord* record = state == nullptr ? nullptr : FindMethod(*state, IdOf(method));
  if (record == nullptr) return result;
  jprof::LineReader lines(record->lines(), state->vm->unsigned5_bias);
  int count = 0;
  while (count < length && lines.Next(&entries[count].start_bci, &entries[count].line_number)) {
    ++count;
  }
  return count;
}

JPROF_EXPORTED int32_t ASGST_GetMethodLineNumber(ASGST_Method method, int32_t bci) {
  int32_t result = 0;
  const ApiState* const state = StateForNames(&result);
  const jprof::MethodRecord* record = state == nullptr ? nullptr : FindMethod(*state, IdOf(method));
  if (record == nullptr || bci < 0) return -1;
  jprof::LineReader lines(record->lines(), state->vm->unsigned5_bias);
  int32_t best_bci = -1;
  int32_t best_line = -1;
  int32_t first_bci = 0;
  int32_t line = 0;
  while (lines.Next(&first_bci, &line)) {
    if (first_bci <= bci && first_bci >= best_bci) {
      best_bci = first_bci;
      best_line = line;
    }
  }
  return best_line;
}

JPROF_EXPORTED struct _jmethodID* ASGST_MethodToJMethodID(ASGST_Method method) {
  const jprof::ErrnoSaver errno_saver;
  const WalkSession session;
  if (session.result() != kMore) return nullptr;
  const jprof::MethodRecord* record = FindMethod(session.state(), IdOf(method));
  if (record == nullptr) return nullptr;
  return reinterpret_cast<struct _jmethodID*>(
      JMethodIdOf(session.state(), record->address, record->id));
}

}  // extern "C"
