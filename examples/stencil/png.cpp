#include "png.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace stencil {
namespace {

using Bytes = std::vector<std::uint8_t>;

void put_big_endian(Bytes& to, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) to.push_back(static_cast<std::uint8_t>(value >> shift));
}

constexpr std::array<std::uint32_t, 256> kCrcOfByte = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = rest % 2 != 0 ? 0xEDB88320U ^ (rest >> 1) : rest >> 1;
    table[byte] = rest;
  }
  return table;
}();

std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const std::uint8_t byte : bytes) crc = kCrcOfByte[(crc ^ byte) & 0xFFU] ^ (crc >> 8);
  return ~crc;
}

std::uint32_t adler32(std::span<const std::uint8_t> bytes) {
  constexpr std::uint32_t kModulus = 65521;
  std::uint32_t sum = 1;
  std::uint32_t sum_of_sums = 0;
  for (const std::uint8_t byte : bytes) {
    sum = (sum + byte) % kModulus;
    sum_of_sums = (sum_of_sums + sum) % kModulus;
  }
  return sum_of_sums << 16 | sum;
}

/// A zlib stream of blocks that are stored as they are.
Bytes zlib_stored(std::span<const std::uint8_t> data) {
  constexpr std::size_t kMostInBlock = 65535;
  Bytes stream = {0x78, 0x01};
  for (std::size_t begin = 0; begin < data.size(); begin += kMostInBlock) {
    const std::size_t size = std::min(kMostInBlock, data.size() - begin);
    const bool last = begin + size == data.size();
    const auto low = static_cast<std::uint8_t>(size % 256);
    const auto high = static_cast<std::uint8_t>(size / 256);
    const std::uint8_t header[] = {static_cast<std::uint8_t>(last ? 1 : 0), low, high,
                                   static_cast<std::uint8_t>(255 - low), static_cast<std::uint8_t>(255 - high)};
    stream.insert(stream.end(), std::begin(header), std::end(header));
    const auto block = data.subspan(begin, size);
    stream.insert(stream.end(), block.begin(), block.end());
  }
  put_big_endian(stream, adler32(data));
  return stream;
}

/// Appends a chunk: its length, its type of four letters, its data, and a checksum of type and data.
void put_chunk(Bytes& to, std::string_view type, std::span<const std::uint8_t> data) {
  put_big_endian(to, static_cast<std::uint32_t>(data.size()));
  const std::size_t begin = to.size();
  to.insert(to.end(), type.begin(), type.end());
  to.insert(to.end(), data.begin(), data.end());
  put_big_endian(to, crc32(std::span(to).subspan(begin)));
}

/// The image row by row; each begins with the number of its filter, 0 for none.
Bytes scan_lines(const Grid& grid) {
  const Bytes all = pixels(grid);
  const std::size_t width = static_cast<std::size_t>(grid.columns) * static_cast<std::size_t>(grid.channels);
  Bytes lines;
  lines.reserve(all.size() + static_cast<std::size_t>(grid.rows));
  for (std::size_t begin = 0; begin < all.size(); begin += width) {
    const auto row = std::span(all).subspan(begin, width);
    lines.push_back(0);
    lines.insert(lines.end(), row.begin(), row.end());
  }
  return lines;
}

}  // namespace

void write_png(const std::string& path, const Grid& grid) {
  if (grid.channels != 1 && grid.channels != 3) {
    throw std::runtime_error(path + ": " + std::to_string(grid.channels) + " channels fit only an .npy file");
  }
  Bytes header;
  put_big_endian(header, static_cast<std::uint32_t>(grid.columns));
  put_big_endian(header, static_cast<std::uint32_t>(grid.rows));
  const std::uint8_t color = grid.channels == 1 ? 0 : 2;
  // 8 bits a channel, and the only methods of compression, filters and interlacing that need nothing else.
  const std::uint8_t kind[] = {8, color, 0, 0, 0};
  header.insert(header.end(), std::begin(kind), std::end(kind));

  Bytes image = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  put_chunk(image, "IHDR", header);
  put_chunk(image, "IDAT", zlib_stored(scan_lines(grid)));
  put_chunk(image, "IEND", {});
  std::ofstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be written");
  file.write(reinterpret_cast<const char*>(image.data()), static_cast<std::streamsize>(image.size()));
  if (!file.flush()) throw std::runtime_error(path + ": could not be written whole");
}

}  // namespace stencil
