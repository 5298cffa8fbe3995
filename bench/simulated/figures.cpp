#include "figures.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace rondo::internal::simulated {

Figures::Figures(const std::string& csv) : file_(std::fopen(csv.c_str(), "w")) {
  if (file_ == nullptr) throw std::runtime_error(csv + ": cannot be written");
  std::fprintf(file_,
               "platform,network,ranks,nodes,mapping,collective,bytes,algorithm,plan,simulated us,reference,ratio,"
               "predicted us,chosen,far messages,far bytes,near messages,near bytes\n");
}

Figures::~Figures() { std::fclose(file_); }

void Figures::begin(const Site& site, const std::string& collective, std::int64_t bytes) {
  const machine::Machine& machine = site.machine;
  timings_.clear();
  std::ostringstream columns;
  columns << '"' << machine.platform.name() << "\",\"" << machine.parameters.name << "\"," << machine.ranks() << ','
          << site.nodes << ',' << site.mapping << ",\"" << collective << "\"," << bytes;
  exchange_ = columns.str();
  std::printf("%s, %lld B, %d ranks on %d nodes, %s, %s\n", collective.c_str(), static_cast<long long>(bytes),
              machine.ranks(), site.nodes, machine.platform.name().c_str(), machine.parameters.name.c_str());
}

void Figures::add(const Timing& timing) {
  timings_.push_back(timing);
  const Timing& first = timings_.front();
  const double ratio = timing.nanoseconds / first.nanoseconds;
  std::printf("  %-44s %12.2f us %8.2f%s%s\n", timing.plan.c_str(), timing.nanoseconds / 1000, ratio,
              timing.chosen ? "  auto" : "", timing.right ? "" : "  WRONG DATA");
  std::fflush(stdout);
  all_right_ = all_right_ && timing.right;
  std::fprintf(file_, "%s,%s,\"%s\",%.4f,\"%s\",%.4f,", exchange_.c_str(), timing.algorithm.c_str(),
               timing.plan.c_str(), timing.nanoseconds / 1000, first.plan.c_str(), ratio);
  if (std::isfinite(timing.predicted)) std::fprintf(file_, "%.4f", timing.predicted / 1000);
  const machine::Traffic& traffic = timing.traffic;
  std::fprintf(file_, ",%d,%lld,%lld,%lld,%lld\n", timing.chosen ? 1 : 0, static_cast<long long>(traffic.far),
               static_cast<long long>(traffic.far_bytes), static_cast<long long>(traffic.near),
               static_cast<long long>(traffic.near_bytes));
  std::fflush(file_);
}

void Figures::end() {
  const Timing& best = *std::ranges::min_element(timings_, {}, &Timing::nanoseconds);
  const auto chosen = std::ranges::find(timings_, true, &Timing::chosen);
  if (chosen == timings_.end()) return;
  const double ratio = chosen->nanoseconds / best.nanoseconds;
  std::printf("  best: %s; auto takes %s: %.2f of it\n", best.plan.c_str(), chosen->plan.c_str(), ratio);
  worst_choice_ = std::max(worst_choice_, ratio);
}

}  // namespace rondo::internal::simulated
