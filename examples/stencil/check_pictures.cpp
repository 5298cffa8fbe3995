// A test: the pictures of the stencil are what they should be, as read by code that has nothing in common with the
// code that wrote them.
//
//     stencil_check_pictures PREFIX BEFORE AFTER      both .pgm or .ppm
#include "grid_io.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stencil {
namespace {

void require(bool right, const std::string& what) {
  if (!right) throw std::runtime_error(what);
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  require(file.is_open(), path + ": cannot be opened");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::uint32_t byte_at(std::string_view text, std::size_t i) {
  require(i < text.size(), "ends early");
  return static_cast<unsigned char>(text[i]);
}

std::uint32_t big_endian(std::string_view text, std::size_t i) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < 4; ++k) value = value * 256 + byte_at(text, i + k);
  return value;
}

/// The remainder of polynomials, bit by bit.
std::uint32_t crc32(std::string_view text) {
  std::uint32_t rest = ~0U;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      const bool odd = ((rest ^ byte_at(text, i) >> bit) & 1U) != 0;
      rest = (rest >> 1) ^ (odd ? 0xEDB88320U : 0U);
    }
  }
  return ~rest;
}

/// The data of a zlib stream whose blocks are stored.
std::string unpacked(std::string_view stream) {
  require((byte_at(stream, 0) * 256 + byte_at(stream, 1)) % 31 == 0 && byte_at(stream, 0) % 16 == 8, "no zlib stream");
  std::string data;
  std::size_t at = 2;
  for (bool last = false; !last;) {
    require(byte_at(stream, at) <= 1, "a block is not stored");
    last = byte_at(stream, at) == 1;
    const std::uint32_t size = byte_at(stream, at + 1) + 256 * byte_at(stream, at + 2);
    const std::uint32_t complement = byte_at(stream, at + 3) + 256 * byte_at(stream, at + 4);
    require(size + complement == 0xFFFF && at + 5 + size <= stream.size(), "the size of a block is wrong");
    data += stream.substr(at + 5, size);
    at += 5 + size;
  }
  std::uint64_t sum = 1;
  std::uint64_t sum_of_sums = 0;
  for (std::size_t i = 0; i < data.size(); ++i) sum_of_sums += sum += byte_at(data, i);
  require(big_endian(stream, at) == (sum_of_sums % 65521) * 65536 + sum % 65521, "the Adler-32 is wrong");
  require(at + 4 == stream.size(), "there is something after the zlib stream");
  return data;
}

/// That the PNG image shows the grid.
void check_png(std::string_view image, const Grid& grid) {
  require(image.substr(0, 8) == "\x89PNG\r\n\x1a\n", "the signature is wrong");
  std::string types;
  std::string header;
  std::string data;
  for (std::size_t at = 8; at < image.size();) {
    const std::size_t size = big_endian(image, at);
    require(at + 12 + size <= image.size(), "a chunk ends early");
    const std::string type(image.substr(at + 4, 4));
    require(crc32(image.substr(at + 4, 4 + size)) == big_endian(image, at + 8 + size), type + ": the CRC is wrong");
    types += type;
    if (type == "IHDR") header = image.substr(at + 8, size);
    if (type == "IDAT") data += unpacked(image.substr(at + 8, size));
    at += 12 + size;
  }
  require(types == "IHDRIDATIEND", "the chunks are " + types);
  require(header.size() == 13 && byte_at(header, 8) == 8, "not 8 bits a channel");
  require(big_endian(header, 0) == static_cast<std::uint32_t>(grid.columns), "the width is wrong");
  require(big_endian(header, 4) == static_cast<std::uint32_t>(grid.rows), "the height is wrong");
  require(byte_at(header, 9) == (grid.channels == 3 ? 2U : 0U), "the color type is wrong");

  const std::vector<std::uint8_t> expected = pixels(grid);
  const std::size_t width = expected.size() / static_cast<std::size_t>(grid.rows);
  require(data.size() == expected.size() + static_cast<std::size_t>(grid.rows), "the size of the data is wrong");
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::size_t row = i / (width + 1);
    const std::uint32_t value = i % (width + 1) == 0 ? 0 : expected[row * width + i % (width + 1) - 1];
    require(byte_at(data, i) == value, "row " + std::to_string(row) + " differs");
  }
}

/// That each tag is closed in its turn, and that text has no character of markup.
void check_svg(std::string_view image) {
  std::vector<std::string> open;
  std::size_t at = 0;
  while (at < image.size()) {
    const std::size_t begin = std::min(image.find('<', at), image.size());
    const std::string_view text = image.substr(at, begin - at);
    require(text.find('>') == std::string_view::npos, "a > in text");
    for (std::size_t i = text.find('&'); i != std::string_view::npos; i = text.find('&', i + 1)) {
      const auto rest = text.substr(i);
      require(rest.starts_with("&amp;") || rest.starts_with("&lt;") || rest.starts_with("&gt;"), "a & in text");
    }
    if (begin == image.size()) break;
    const std::size_t end = image.find('>', begin);
    require(end != std::string_view::npos, "a tag has no end");
    std::string_view tag = image.substr(begin + 1, end - begin - 1);
    require(std::ranges::count(tag, '"') % 2 == 0 && tag.find('<') == std::string_view::npos, "a tag is not one");
    const bool closes = tag.starts_with('/');
    if (closes) tag.remove_prefix(1);
    const std::string name(tag.substr(0, tag.find_first_of(" /")));
    if (closes) {
      require(!open.empty() && open.back() == name, "</" + name + "> closes something else");
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      require(!open.empty() || name == "svg", "begins with <" + name + ">");
      open.push_back(name);
    }
    at = end + 1;
  }
  require(open.empty(), "not all tags are closed");
  for (const char* part : {"xmlns=\"http://www.w3.org/2000/svg\"", "rank 0", "interior: ", "border: "})
    require(image.find(part) != std::string_view::npos, std::string("lacks ") + part);
  require(image.find("nan") == std::string_view::npos && image.find("inf") == std::string_view::npos,
          "a number is none");
}

/// Runs a check of a file, whose name goes before what is wrong with it.
template <typename Check>
void in_file(const std::string& path, Check check) {
  const std::string text = contents(path);
  try {
    check(text);
  } catch (const std::exception& error) {
    throw std::runtime_error(path + ": " + error.what());
  }
}

}  // namespace
}  // namespace stencil

int main(int argc, char** argv) {
  try {
    stencil::require(argc == 4, "usage: stencil_check_pictures PREFIX BEFORE AFTER");
    const std::string prefix = argv[1];
    const stencil::Grid before = stencil::read_grid(argv[2]);
    const stencil::Grid after = stencil::read_grid(argv[3]);
    stencil::in_file(prefix + "-before.png", [&](std::string_view image) { stencil::check_png(image, before); });
    stencil::in_file(prefix + "-after.png", [&](std::string_view image) { stencil::check_png(image, after); });
    stencil::in_file(prefix + "-timeline.svg", [](std::string_view image) { stencil::check_svg(image); });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
