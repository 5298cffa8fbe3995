#include "table.hpp"

#include "../stencil/quartiles.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>

namespace stencil {
namespace {

/// "MEDIAN [LOWER, UPPER]", the quartiles in brackets.
std::string spread(const std::vector<double>& values, int decimals) {
  const Quartiles of_values = quartiles(values);
  char text[96];
  std::snprintf(text, sizeof text, "%.*f [%.*f, %.*f]", decimals, of_values.median, decimals, of_values.lower, decimals,
                of_values.upper);
  return text;
}

std::string ratios(const Row& row, const Row& base) {
  std::vector<double> values;
  for (std::size_t i = 0; i < row.us.size(); ++i) values.push_back(row.us[i] / base.us[i]);
  return spread(values, 3);
}

std::string progress(const Row& row) {
  const rondo::ProgressMode wanted = wanted_progress(row.variant);
  std::string text = rondo::name(row.progress);
  if (row.progress != wanted) text += std::string(", not ") + rondo::name(wanted);
  return text;
}

}  // namespace

void print_table(const std::vector<Row>& rows) {
  std::printf("%-12s %-17s %-33s %-25s %s\n", "variant", "progress", "us a step [quartiles]", "over blocking",
              "result");
  const auto blocking = std::ranges::find(rows, Variant::blocking, &Row::variant);
  for (const Row& row : rows) {
    std::printf("%-12s %-17s %-33s %-25s %s\n", name(row.variant), progress(row).c_str(), spread(row.us, 1).c_str(),
                blocking == rows.end() ? "-" : ratios(row, *blocking).c_str(),
                row.right ? "equal to a serial run" : "DIFFERS from a serial run");
  }
}

}  // namespace stencil
