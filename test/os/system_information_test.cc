#include "os/system_information.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace jprof {
namespace {

using testing::HasSubstr;

std::string X86Processor(int processor, int socket, int core) {
  return "processor\t: " + std::to_string(processor) +
         "\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
         "model name\t: Intel(R) Xeon(R) CPU\nstepping\t: 7\nphysical id\t: " +
         std::to_string(socket) + "\ncore id\t\t: " + std::to_string(core) +
         "\nflags\t\t: fpu vme avx2\n\n";
}

TEST(SystemInformationTest, CountsSocketsCoresAndThreadsOfX86) {
  std::string text;
  for (int i = 0; i < 8; ++i) text += X86Processor(i, i / 4, i % 4 / 2);
  const CpuInformation cpu = ParseCpuInfo(text);
  EXPECT_EQ(cpu.sockets, 2u);
  EXPECT_EQ(cpu.cores, 4u) << "cores of two sockets with equal numbers are different cores";
  EXPECT_EQ(cpu.hardware_threads, 8u);
  EXPECT_EQ(cpu.model, "Intel(R) Xeon(R) CPU");
  EXPECT_EQ(cpu.description,
            "Vendor: GenuineIntel\nFamily: 6\nModel: 85\nStepping: 7\nFeatures: fpu vme avx2");
}

constexpr char kArm[] =
    "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\n"
    "CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n\n"
    "processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";

TEST(SystemInformationTest, NamesAnArmProcessorByImplementerAndPart) {
  const CpuInformation cpu = ParseCpuInfo(kArm);
  EXPECT_EQ(cpu.model, "ARM Neoverse-N1");
  EXPECT_EQ(cpu.hardware_threads, 2u);
  EXPECT_EQ(cpu.cores, 0u) << "left to sysfs";
  EXPECT_THAT(cpu.description, HasSubstr("Features: fp asimd"));
}

TEST(SystemInformationTest, AnUnknownArmPartIsShownByItsNumbers) {
  EXPECT_EQ(ParseCpuInfo("processor: 0\nCPU implementer: 0x99\nCPU part: 0x123\n").model,
            "ARM implementer 0x99 part 0x123");
  EXPECT_EQ(ParseCpuInfo("").model, "unknown");
}

TEST(SystemInformationTest, PrettyNameIsUnquoted) {
  EXPECT_EQ(ParsePrettyName("NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12\"\nID=debian"),
            "Debian GNU/Linux 12");
  EXPECT_EQ(ParsePrettyName("PRETTY_NAME=Alpine"), "Alpine");
  EXPECT_EQ(ParsePrettyName("PRETTY_NAME=\""), "\"");
  EXPECT_EQ(ParsePrettyName("ID=x"), "");
}

TEST(SystemInformationTest, ThisMachineHasPlausibleNumbersAndAKernelLine) {
  const CpuInformation cpu = ReadCpuInformation();
  EXPECT_GE(cpu.sockets, 1u);
  EXPECT_GE(cpu.cores, cpu.sockets);
  EXPECT_GE(cpu.hardware_threads, cpu.cores);
  EXPECT_EQ(cpu.hardware_threads, static_cast<uint32_t>(sysconf(_SC_NPROCESSORS_ONLN)));
  EXPECT_THAT(OsVersionText(), HasSubstr("uname: Linux "));
}

}  // namespace
}  // namespace jprof
