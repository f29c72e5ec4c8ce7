// Compares the names that are read from the VM's memory with those that JVMTI tells.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "jvm/class_layout_reader.h"
#include "jvm/embedded/embedded_jvm.h"
#include "jvm/embedded/throwaway_class.h"
#include "jvm/hotspot_layout_reader.h"
#include "jvm/jvm_information.h"
#include "jvm/jvmti_ptr.h"
#include "jvm/method_capture.h"
#include "jvm/method_names.h"
#include "jvm/object_fields.h"
#include "jvm/vm_structs.h"
#include "sigsafe/hotspot/java_method.h"
#include "sigsafe/stack/method_records.h"

namespace jprof {
namespace {

std::string TextOf(const MethodInfo& method) {
  const ClassInfo& declaring = *method.declaring;
  std::string text = declaring.name + " " + std::to_string(declaring.modifiers) + " " +
                     declaring.source_file + (declaring.hidden ? " hidden " : " ");
  if (declaring.loader != nullptr) {
    text += declaring.loader->class_name + "'" + declaring.loader->name;
  }
  text += " " + method.name + method.descriptor + " " + std::to_string(method.modifiers);
  for (const MethodInfo::Line& line : method.lines) {
    text += " " + std::to_string(line.first_bci) + ":" + std::to_string(line.number);
  }
  return text;
}

jvmtiEnv* JvmtiWithLines(JNIEnv* env) {
  jvmtiEnv* const jvmti = JvmtiOf(env);
  jvmtiCapabilities wanted{};
  wanted.can_get_line_numbers = 1;
  wanted.can_get_source_file_name = 1;
  jvmti->AddCapabilities(&wanted);
  return jvmti;
}

struct Known {
  std::set<std::string> classes;
  std::set<std::string> texts;  // of all methods
};

// Returns what JVMTI tells of all classes that are linked: of others, it does not list the methods.
Known KnownToJvmti(JNIEnv* env) {
  jvmtiEnv* const jvmti = JvmtiWithLines(env);
  const LocalFrame frame(env, LocalFrame::kMost);
  Known known;
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti);
  jvmti->GetLoadedClasses(&count, classes.out());
  for (jint i = 0; i < count; ++i) {
    const LocalFrame of_class(env, 8);
    jint methods = 0;
    JvmtiPtr<jmethodID> ids(jvmti);
    if (jvmti->GetClassMethods(classes[i], &methods, ids.out()) != JVMTI_ERROR_NONE) continue;
    JvmtiClass holder(jvmti, env, classes[i]);
    holder.ReadSourceFile(jvmti, classes[i]);
    for (jint m = 0; m < methods; ++m) {
      const MethodInfo method =
          MakeMethod(JvmtiMethod(jvmti, ids[m]).texts(), MakeClass(holder.texts()));
      known.classes.insert(method.declaring->name);
      known.texts.insert(TextOf(method));
    }
  }
  return known;
}

uint64_t Word(uint64_t object, uint64_t offset) {
  return *reinterpret_cast<const uint64_t*>(object + offset);
}

// Returns the addresses of the Methods of loaded classes, which are found as subclasses of Object.
std::vector<uint64_t> Methods(const VmStructs& structs) {
  uint64_t methods_offset = 0;
  for (const VmTables::Field& field : structs.tables.fields) {
    if (field.type == "InstanceKlass" && field.name == "_methods") methods_offset = field.offset;
  }
  std::vector<uint64_t> methods;
  std::vector<uint64_t> next{*structs.statics.class_of_objects};
  while (!next.empty()) {
    const uint64_t klass = next.back();
    next.pop_back();
    for (const VmField& link : {structs.fields.klass_next_sibling, structs.fields.klass_subclass}) {
      if (const uint64_t linked = Word(klass, link.offset); linked != 0) next.push_back(linked);
    }
    const auto helper =
        static_cast<int32_t>(Word(klass, structs.fields.klass_layout_helper.offset));
    if (helper < 0) continue;  // an array class
    const uint64_t array = Word(klass, methods_offset);
    const auto length = static_cast<int32_t>(Word(array, 0));
    for (int32_t i = 0; i < length; ++i) {
      methods.push_back(Word(array, 8 + 8 * static_cast<uint64_t>(i)));
    }
  }
  return methods;
}

void CompareNames(JNIEnv* env, ChildReport* report) {
  constexpr size_t kBytes = 64 << 20;
  const jclass with_a_loader = NewThrowawayClass(env);
  const Result<VmStructs> loaded = LoadVmStructs();
  if (!loaded.ok()) return report->Expect(false, loaded.error().message());
  const HotspotReading reading =
      ReadHotspot(loaded.value(), 0, JdkRelease(JvmtiOf(env)), ObjectFields(env));
  if (!reading.walk.ok()) return report->Expect(false, reading.walk.error().message());
  const HotspotLayout& vm = reading.layout;
  report->Expect(vm.klass_number.exists(), "the number of a class was not found");

  const Known expected = KnownToJvmti(env);
  const auto memory = std::make_unique<uint64_t[]>(kBytes / sizeof(uint64_t));
  Arena arena(Region{memory.get(), kBytes});
  const auto records = std::make_unique<MethodRecords>();
  const ClassCatalog catalog;
  MethodNames names(nullptr, env, catalog, vm.unsigned5_bias);
  std::set<uint64_t> ids;
  size_t wrong = 0;
  size_t compared = 0;
  size_t loaders = 0;
  for (const uint64_t method : Methods(loaded.value())) {
    JavaMethod java;
    if (!LoadJavaMethod(vm, method, &java)) return report->Expect(false, "no Method");
    if (!ids.insert(java.id).second) report->Expect(false, "two methods have an id");
    if (!records->Add(vm, method, java.id, arena)) return report->Expect(false, "no room");
    const MethodInfo& info = names.Learn(*records->Find(java.id, arena));
    const std::string text = TextOf(info);
    if (expected.classes.count(info.declaring->name) == 0) continue;
    // JVMTI does not list the bridges that the VM itself adds to classes.
    const bool can_be_of_vm = (info.modifiers & 0x1040) == 0x1040 && info.lines.empty();
    if (can_be_of_vm && expected.texts.count(text) == 0) continue;
    ++compared;
    loaders += info.declaring->loader == nullptr ? 0 : 1;
    if (expected.texts.count(text) == 0 && ++wrong <= 5) {
      const auto near = expected.texts.lower_bound(text);
      report->Expect(false, text + " is not " + (near == expected.texts.end() ? "there" : *near));
    }
  }
  report->Expect(wrong == 0, std::to_string(wrong) + " of " + std::to_string(compared));
  report->Expect(compared > 3000, std::to_string(compared) + " methods were compared");
  report->Expect(loaders > 0, "no class has a loader");
  report->Expect(names.unloaded() == 0, "names were not read");
  env->DeleteLocalRef(with_a_loader);
}

class ClassLayoutJvmTest : public testing::TestWithParam<std::string> {};

TEST_P(ClassLayoutJvmTest, TheNamesInMemoryAreThoseOfJvmti) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC"}, CompareNames), "");
}

TEST_P(ClassLayoutJvmTest, TheNamesInMemoryAreThoseOfJvmtiWithoutSharedClasses) {
  EXPECT_EQ(RunInJvm(GetParam(), {"-XX:+UseSerialGC", "-Xshare:off"}, CompareNames), "");
}

INSTANTIATE_TEST_SUITE_P(InstalledJdks, ClassLayoutJvmTest, testing::ValuesIn(InstalledLibjvms()));

}  // namespace
}  // namespace jprof
