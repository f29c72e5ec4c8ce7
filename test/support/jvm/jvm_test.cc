#include "support/jvm/jvm_test.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "jfr/writer/accountant.h"
#include "jfr/writer/jfr_file.h"

namespace jprof::test {
namespace {

AttachResult RunJcmd(const Jdk& jdk, pid_t pid, const std::string& library,
                     const std::string& options) {
  ProcessSpec spec;
  spec.argv = {jdk.Tool("jcmd"), std::to_string(pid), "JVMTI.agent_load", library, options};
  const ProcessResult result = RunProcess(spec);
  AttachResult attach;
  attach.output = result.out + result.err;
  const std::string marker = "return code: ";
  const size_t found = attach.output.find(marker);
  if (found != std::string::npos) {
    attach.return_code = std::atoi(attach.output.c_str() + found + marker.size());
  }
  return attach;
}

}  // namespace

JvmTest::JvmTest() {
  std::string pattern = testing::TempDir() + "jvm-test-XXXXXX";
  folder_ = mkdtemp(pattern.data());
}

JvmTest::~JvmTest() {
  if (HasFailure()) {
    std::cout << "The files of this test are in " << folder_ << "\n";
    return;
  }
  std::error_code ignored;  // files that cannot be removed remain
  std::filesystem::remove_all(folder_, ignored);
}

std::vector<std::string> JvmTest::FilesInFolder() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

ProcessSpec JvmTest::Java(const std::vector<std::string>& program,
                          const std::vector<std::string>& jvm_arguments) const {
  ProcessSpec spec;
  spec.argv = {jdk().Tool("java"), "-Xmx256m", "-cp", WorkloadClasses()};
  spec.argv.insert(spec.argv.end(), jvm_arguments.begin(), jvm_arguments.end());
  spec.argv.insert(spec.argv.end(), program.begin(), program.end());
  spec.working_directory = folder_;
  return spec;
}

std::string JvmTest::AgentArgument(const std::string& options) {
  return "-agentpath:" + AgentLibrary() + "=" + options;
}

ProcessResult JvmTest::RunProfiled(const std::string& options,
                                   const std::vector<std::string>& program,
                                   std::vector<std::string> jvm_arguments) const {
  jvm_arguments.push_back(AgentArgument(options));
  return RunProcess(Java(program, jvm_arguments));
}

std::string JvmTest::MakeAgentJar(const std::string& manifest) const {
  std::ofstream(Path("agent-manifest")) << manifest;
  const std::string jar = Path("agent.jar");
  // Takes `jar` from the newest JDK, because a small JDK lacks it.
  ProcessSpec spec;
  spec.argv = {JdkList().back().Tool("jar"), "cfm", jar, Path("agent-manifest")};
  const ProcessResult made = RunProcess(spec);
  EXPECT_EQ(made.exit_code, 0) << made.Describe();
  return jar;
}

std::string JvmTest::OtherAgentArgument() const {
  const std::string jar = MakeAgentJar(
      "Premain-Class: OtherAgent\n"
      "Can-Redefine-Classes: true\n"
      "Can-Retransform-Classes: true\n");
  return "-javaagent:" + jar + '=' + NativeLibraryFolder();
}

AttachResult JvmTest::Attach(pid_t pid, const std::string& options) const {
  return AttachLibrary(AgentLibrary(), pid, options);
}

AttachResult JvmTest::AttachLibrary(const std::string& library, pid_t pid,
                                    const std::string& options) const {
  return RunJcmd(jdk(), pid, library, "\"" + options + "\"");
}

AttachResult JvmTest::AttachUnquoted(pid_t pid, const std::string& options) const {
  return RunJcmd(jdk(), pid, AgentLibrary(), options);
}

Recording JvmTest::ReadSound(const std::string& name) const {
  EXPECT_THAT(AuditRecording(ReadFile(Path(name))), testing::IsEmpty()) << name;
  Recording recording = ReadSealed(name);
  EXPECT_THAT(UnresolvedReferences(recording), testing::IsEmpty()) << name;
  return recording;
}

Recording JvmTest::ReadSealed(const std::string& name) const {
  const auto headers = ReadChunkHeaders(Path(name));
  if (!headers) {
    ADD_FAILURE() << headers.error().message();
    return Recording({});
  }
  for (const ChunkHeader& header : headers.value()) EXPECT_EQ(header.state, 0) << name;
  auto recording = Recording::Read(jdk(), Path(name));
  if (!recording) {
    ADD_FAILURE() << recording.error().message();
    return Recording({});
  }
  return std::move(recording.value());
}

}  // namespace jprof::test
