#include "jvm/embedded/embedded_jvm.h"

#include <dlfcn.h>
#include <glob.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <set>
#include <thread>

namespace jprof {
namespace {

void RunBody(const std::string& libjvm, const std::vector<std::string>& options,
             const std::function<void(JNIEnv*, ChildReport*)>& body, ChildReport* report) {
  void* handle = dlopen(libjvm.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr) return report->Expect(false, "cannot load " + libjvm);
  using CreateJavaVm = jint (*)(JavaVM**, void**, void*);
  const auto create = reinterpret_cast<CreateJavaVm>(dlsym(handle, "JNI_CreateJavaVM"));

  std::vector<JavaVMOption> vm_options;
  for (const std::string& option : options) {
    vm_options.push_back({const_cast<char*>(option.c_str()), nullptr});
  }
  JavaVMInitArgs args = {JNI_VERSION_1_8, static_cast<jint>(vm_options.size()), vm_options.data(),
                         JNI_FALSE};
  JavaVM* vm = nullptr;
  JNIEnv* env = nullptr;
  const jint error = create(&vm, reinterpret_cast<void**>(&env), &args);
  if (error != JNI_OK) return report->Expect(false, "JNI_CreateJavaVM: " + std::to_string(error));
  body(env, report);
  report->Expect(!env->ExceptionCheck(), "the body left a Java exception pending");
}

}  // namespace

std::vector<std::string> InstalledLibjvms() {
  std::vector<std::string> patterns = {"/usr/lib/jvm/*/lib/server/libjvm.so"};
  if (const char* home = getenv("JAVA_HOME")) {
    patterns.push_back(std::string(home) + "/lib/server/libjvm.so");
  }
  std::set<std::string> found;
  for (const std::string& pattern : patterns) {
    glob_t matches = {};
    if (glob(pattern.c_str(), 0, nullptr, &matches) == 0) {
      for (size_t i = 0; i < matches.gl_pathc; ++i) {
        char resolved[PATH_MAX];
        if (realpath(matches.gl_pathv[i], resolved) != nullptr) found.insert(resolved);
      }
    }
    globfree(&matches);
  }
  return {found.begin(), found.end()};
}

std::string RunInJvm(const std::string& libjvm, const std::vector<std::string>& options,
                     const std::function<void(JNIEnv*, ChildReport*)>& body) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    ChildReport report;
    std::thread([&] { RunBody(libjvm, options, body, &report); }).join();
    const std::string text = report.failures() + "ran";
    const bool sent = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(sent ? 0 : 1);  // not exit: the JVM's own exit would wait for this thread
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status)) return "the JVM died: wait status " + std::to_string(status);
  if (!text.ends_with("ran")) return "the JVM exited early: code " + std::to_string(status >> 8);
  return text.substr(0, text.size() - 3);
}

void CollectGarbage(JNIEnv* env) {
  const jclass system = env->FindClass("java/lang/System");
  env->CallStaticVoidMethod(system, env->GetStaticMethodID(system, "gc", "()V"));
}

}  // namespace jprof
