#include "timeline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace stencil {
namespace {

constexpr int kWidth = 1000;
constexpr int kLeft = 70;
constexpr int kRight = 20;
constexpr int kRow = 26;
constexpr int kBar = 20;
constexpr int kHead = 78;   ///< caption and legend
constexpr int kTitle = 34;  ///< above the rows of a timeline
constexpr int kFoot = 44;   ///< the scale

struct Look {
  std::string_view name;
  std::string_view color;
};

/// By phase.
constexpr std::array<Look, 5> kLooks = {{{"exchange", "#b5382a"},
                                         {"start exchange", "#e0a030"},
                                         {"interior", "#5b8fb9"},
                                         {"wait for halo", "#e2725b"},
                                         {"border", "#74a57f"}}};

const Look& look_of(Phase phase) { return kLooks[static_cast<std::size_t>(phase)]; }

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else
      result += c;
  }
  return result;
}

std::string number(double value, int decimals) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view text) {
  return "<text x=\"" + number(x, 1) + "\" y=\"" + number(y, 1) + "\" text-anchor=\"" + std::string(anchor) + "\">" +
         escaped(text) + "</text>\n";
}

/// With a title, which viewers show under the pointer.
std::string bar_at(double x, double y, double width, const Look& look, const std::string& title) {
  return "<rect x=\"" + number(x, 2) + "\" y=\"" + number(y, 1) + "\" width=\"" + number(width, 2) + "\" height=\"" +
         std::to_string(kBar) + "\" fill=\"" + std::string(look.color) + "\"><title>" + escaped(title) +
         "</title></rect>\n";
}

/// 1, 2 or 5 times a power of ten, so that there are some ten of them in `length`.
double tick_of(double length) {
  const double power = std::pow(10, std::floor(std::log10(length / 10)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (length / (factor * power) <= 12) return factor * power;
  }
  return 10 * power;
}

double end_of(const Timeline& timeline) {
  double end = 0;
  for (const auto& spans : timeline.ranks) {
    for (const Span& span : spans) end = std::max(end, span.end);
  }
  return end;
}

std::string legend(std::span<const Timeline> timelines) {
  std::array<bool, kLooks.size()> used{};
  for (const Timeline& timeline : timelines) {
    for (const auto& spans : timeline.ranks) {
      for (const Span& span : spans) used[static_cast<std::size_t>(span.phase)] = true;
    }
  }
  std::string drawn;
  double x = kLeft;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    drawn += bar_at(x, 40, kBar, kLooks[i], std::string(kLooks[i].name));
    drawn += text_at(x + kBar + 6, 55, "start", kLooks[i].name);
    x += 150;
  }
  return drawn;
}

std::string scale(double seconds, double y, double x_per_second) {
  const double tick = tick_of(seconds * 1e6);
  const int decimals = tick < 1 ? 2 : 0;
  std::string drawn;
  for (int i = 0; i * tick <= seconds * 1e6; ++i) {
    const double x = kLeft + i * tick * 1e-6 * x_per_second;
    drawn += "<path d=\"M " + number(x, 2) + ' ' + number(y, 1) + " v 6\" stroke=\"#444\"/>\n";
    drawn += text_at(x, y + 22, "middle", number(i * tick, decimals));
  }
  return drawn + text_at(kLeft - 12, y + 22, "end", "us");
}

}  // namespace

std::vector<std::vector<Span>> gather_spans(const std::vector<Span>& own, double origin, MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  std::vector<Span> shifted = own;
  for (Span& span : shifted) {
    span.begin -= origin;
    span.end -= origin;
  }
  const auto bytes = [](const std::vector<Span>& spans) { return static_cast<int>(spans.size() * sizeof(Span)); };
  if (rank != 0) {
    MPI_Send(shifted.data(), bytes(shifted), MPI_BYTE, 0, 0, comm);
    return {};
  }
  std::vector<std::vector<Span>> all = {shifted};
  for (int other = 1; other < size; ++other) {
    MPI_Status status;
    MPI_Probe(other, 0, comm, &status);
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    std::vector<Span>& spans = all.emplace_back(static_cast<std::size_t>(count) / sizeof(Span));
    MPI_Recv(spans.data(), count, MPI_BYTE, other, 0, comm, MPI_STATUS_IGNORE);
  }
  return all;
}

std::string draw(std::span<const Timeline> timelines, const std::string& caption) {
  double seconds = 1e-9;
  double height = kHead + kFoot;
  for (const Timeline& timeline : timelines) {
    seconds = std::max(seconds, end_of(timeline));
    height += kTitle + static_cast<double>(timeline.ranks.size()) * kRow;
  }
  const double x_per_second = (kWidth - kLeft - kRight) / seconds;
  const std::string size = "width=\"" + std::to_string(kWidth) + "\" height=\"" + number(height, 0) + '"';
  std::string drawn = "<svg xmlns=\"http://www.w3.org/2000/svg\" " + size +
                      " font-family=\"sans-serif\" font-size=\"14\" fill=\"#222\">\n<rect " + size +
                      " fill=\"#ffffff\"/>\n" + text_at(kLeft, 24, "start", caption) + legend(timelines);
  double y = kHead;
  for (const Timeline& timeline : timelines) {
    drawn +=
        text_at(kLeft, y + kTitle - 12, "start", timeline.title + ": " + number(end_of(timeline) * 1e6, 1) + " us");
    y += kTitle;
    for (std::size_t rank = 0; rank < timeline.ranks.size(); ++rank) {
      drawn += text_at(kLeft - 12, y + 15, "end", "rank " + std::to_string(rank));
      for (const Span& span : timeline.ranks[rank]) {
        const Look& look = look_of(span.phase);
        drawn += bar_at(kLeft + span.begin * x_per_second, y, (span.end - span.begin) * x_per_second, look,
                        std::string(look.name) + ": " + number((span.end - span.begin) * 1e6, 2) + " us");
      }
      y += kRow;
    }
  }
  return drawn + scale(seconds, y + 4, x_per_second) + "</svg>\n";
}

}  // namespace stencil
