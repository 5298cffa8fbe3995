#include "figure.hpp"

#include <stdexcept>
#include <vector>

namespace rondo::internal::papers {

Figure::Figure(const std::string& csv) : file_(std::fopen(csv.c_str(), "w")) {
  if (file_ == nullptr) throw std::runtime_error(csv + ": cannot be written");
  std::fprintf(file_, "panel,line,x,value,lower,upper,plan,messages,bytes,data\n");
}

Figure::~Figure() { std::fclose(file_); }

void Figure::add(const Place& place, const std::string& plan, const simulated::Outcome& outcome, int ranks) {
  const double time = outcome.nanoseconds / 1000;
  write(place, plan, {time, time, time}, outcome, ranks);
}

void Figure::add(const Place& place, const std::string& plan, std::span<const simulated::Outcome> outcomes, int ranks) {
  std::vector<double> times;
  simulated::Outcome last = outcomes.back();
  for (const simulated::Outcome& outcome : outcomes) {
    times.push_back(outcome.nanoseconds / 1000);
    last.right = last.right && outcome.right;
  }
  write(place, plan, bench::bootstrap_median(times), last, ranks);
}

void Figure::add_value(const Place& place, const std::string& what, double value) {
  std::fprintf(file_, "\"%s\",\"%s\",%g,%.6g,,,\"%s\",,,\n", place.panel.c_str(), place.line.c_str(), place.x, value,
               what.c_str());
  std::printf("%-28s %-44s %10g %14.6g\n", place.panel.c_str(), place.line.c_str(), place.x, value);
  std::fflush(nullptr);
}

void Figure::write(const Place& place, const std::string& plan, const bench::Estimate& time,
                   const simulated::Outcome& outcome, int ranks) {
  all_right_ = all_right_ && outcome.right;
  const machine::Traffic& traffic = outcome.traffic;
  std::fprintf(file_, "\"%s\",\"%s\",%g,%.4f,%.4f,%.4f,\"%s\",%.2f,%.0f,%s\n", place.panel.c_str(), place.line.c_str(),
               place.x, time.value, time.lower, time.upper, plan.c_str(),
               static_cast<double>(traffic.far + traffic.near) / ranks,
               static_cast<double>(traffic.far_bytes + traffic.near_bytes) / ranks,
               !outcome.right    ? "wrong"
               : outcome.carried ? "right"
                                 : "not carried");
  std::printf("%-28s %-44s %10g %14.2f us  %s%s\n", place.panel.c_str(), place.line.c_str(), place.x, time.value,
              plan.c_str(), outcome.right ? "" : "  WRONG DATA");
  std::fflush(nullptr);
}

}  // namespace rondo::internal::papers
