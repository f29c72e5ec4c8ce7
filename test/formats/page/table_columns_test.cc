#include "formats/page/table_columns.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "base/scoped_fd.h"
#include "formats/output_stream.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

template <class Column>
std::string JsonOf(const Column& column) {
  const test::TempFolder folder;
  const std::string path = folder.File("out");
  const ScopedFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  OutputStream out(file.get(), path);
  JsonWriter json(out);
  column.Write("n", "L", json);
  EXPECT_TRUE(out.Finish().ok());
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string Numbers(std::initializer_list<uint64_t> numbers) {
  VarintStream stream;
  for (const uint64_t number : numbers) stream.Add(number);
  return stream.Base64();
}

std::string Expected(const std::string& unit, const std::string& numbers) {
  return R"({"name":"n","label":"L","unit":")" + unit + R"(","numbers":")" + numbers + "\"}";
}

TEST(TableColumnsTest, StoresWholeNumbersUnchangedAndNoneAsZero) {
  NumberColumn column(PageUnit::kNumber);
  for (const double number : {0.0, 1.0, -1.0, -300.0}) column.Add(number);
  column.AddNone();
  EXPECT_EQ(JsonOf(column), Expected("number", Numbers({1, 3, 2, 600, 0})));
}

TEST(TableColumnsTest, OtherNumbersAreMillionths) {
  NumberColumn column(PageUnit::kNumber);
  column.Add(0.5);
  column.Add(2);
  EXPECT_EQ(JsonOf(column), Expected("real", Numbers({1'000'001, 4'000'001})));
}

TEST(TableColumnsTest, NumbersTooLargeForMillionthsAreRounded) {
  NumberColumn column(PageUnit::kNumber);
  column.Add(1e12 + 0.25);
  EXPECT_EQ(JsonOf(column), Expected("number", Numbers({2'000'000'000'001})));
}

// JavaScript rounds a code of 2^53 or more. The rounded code stands for another number, possibly
// one of the opposite sign.
TEST(TableColumnsTest, CodesAreWholeNumbersOfJavaScript) {
  NumberColumn column(PageUnit::kNanos), real(PageUnit::kNumber);
  for (const double number : {4.5e15, -4.5e15}) column.Add(number);
  for (const double number : {8e9 + 0.5, -8e9 - 0.5}) real.Add(number);
  constexpr uint64_t kLargest = 9'000'000'000'000'001;
  static_assert(kLargest < uint64_t{1} << 53);
  EXPECT_EQ(JsonOf(column), Expected("ns", Numbers({kLargest, kLargest - 1})));
  EXPECT_EQ(JsonOf(real), Expected("number", Numbers({16'000'000'003, 16'000'000'002})));
}

TEST(TableColumnsTest, RoundsLargerNumbersToAStatedScale) {
  NumberColumn column(PageUnit::kNanos);
  for (const double number : {-3e19, 123'456'789.0}) column.Add(number);
  column.Add(HUGE_VAL);
  EXPECT_EQ(JsonOf(column), R"({"name":"n","label":"L","unit":"ns","scale":1000000,"numbers":")" +
                                Numbers({60'000'000'000'000, 247, 0}) + "\"}");
}

TEST(TableColumnsTest, ATextIsStoredOnce) {
  TextColumn column;
  for (const char* text : {"b", "a", "b"}) column.Add(text);
  column.AddNone();
  EXPECT_EQ(JsonOf(column),
            R"({"name":"n","label":"L","unit":"text","texts":["b","a"],"indices":")" +
                Numbers({1, 2, 1, 0}) + "\"}");
}

}  // namespace
}  // namespace jprof
