#include "grid_io.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace stencil {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw std::runtime_error(path + ": " + what);
}

std::size_t cell_count(const Grid& grid) {
  return static_cast<std::size_t>(grid.rows) * static_cast<std::size_t>(grid.columns) *
         static_cast<std::size_t>(grid.channels);
}

/// Where channel c of cell k lies in a grid; files keep the channels of a cell together.
std::size_t place(const Grid& grid, std::size_t k) {
  const auto channels = static_cast<std::size_t>(grid.channels);
  return k % channels * (cell_count(grid) / channels) + k / channels;
}

/// The next number of a Netpbm header, past white space and comments.
int header_number(std::istream& file, const std::string& path) {
  for (;;) {
    file >> std::ws;
    if (file.peek() != '#') break;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  int number = 0;
  if (!(file >> number) || number <= 0) fail(path, "the header lacks a number above 0");
  return number;
}

Grid read_netpbm(std::istream& file, const std::string& path) {
  std::string magic;
  file >> magic;
  const bool plain = magic == "P2" || magic == "P3";
  if (!plain && magic != "P5" && magic != "P6") fail(path, "is not a PGM or PPM image (begins with \"" + magic + "\")");
  Grid grid;
  grid.channels = magic == "P3" || magic == "P6" ? 3 : 1;
  grid.columns = header_number(file, path);
  grid.rows = header_number(file, path);
  const int white = header_number(file, path);
  if (white > 65535) fail(path, "the largest value is " + std::to_string(white) + ", at most 65535 is allowed");
  grid.white = white;
  file.get();  // one white space before the pixels
  grid.cells.resize(cell_count(grid));
  for (std::size_t k = 0; k < grid.cells.size(); ++k) {
    int value = 0;
    if (plain) {
      file >> value;
    } else {
      value = file.get();
      if (white > 255) value = value * 256 + file.get();
    }
    if (!file) fail(path, "ends after " + std::to_string(k) + " of " + std::to_string(grid.cells.size()) + " values");
    grid.cells[place(grid, k)] = value;
  }
  return grid;
}

/// The text after `key` in a NumPy header.
std::string header_field(const std::string& header, const std::string& key, const std::string& path) {
  const auto found = header.find("'" + key + "':");
  if (found == std::string::npos) fail(path, "the header lacks '" + key + "'");
  return header.substr(found + key.size() + 3);
}

template <typename T>
void read_values(std::istream& file, Grid& grid, const std::string& path) {
  std::vector<T> values(grid.cells.size());
  const auto bytes = static_cast<std::streamsize>(values.size() * sizeof(T));
  file.read(reinterpret_cast<char*>(values.data()), bytes);
  if (file.gcount() != bytes) fail(path, "ends early");
  for (std::size_t k = 0; k < values.size(); ++k) grid.cells[place(grid, k)] = static_cast<double>(values[k]);
}

Grid read_npy(std::istream& file, const std::string& path) {
  char magic[8] = {};
  file.read(magic, 8);
  if (std::memcmp(magic, "\x93NUMPY", 6) != 0) fail(path, "is not a NumPy file");
  unsigned char length[4] = {};
  const int width = magic[6] == 1 ? 2 : 4;
  file.read(reinterpret_cast<char*>(length), width);
  std::string header(length[0] + 256U * length[1] + 65536U * length[2], ' ');
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  if (header_field(header, "fortran_order", path).find("False") > 2)
    fail(path, "is in Fortran order; save it in C order");
  std::string shape = header_field(header, "shape", path);
  shape = shape.substr(shape.find('(') + 1, shape.find(')') - shape.find('(') - 1);
  std::replace(shape.begin(), shape.end(), ',', ' ');
  std::istringstream numbers(shape);
  std::vector<int> sizes;
  for (int size = 0; numbers >> size;) sizes.push_back(size);
  if (sizes.size() < 2 || sizes.size() > 3 || std::ranges::any_of(sizes, [](int size) { return size < 1; })) {
    fail(path, "has shape (" + shape + "), must be 2-D, or 3-D with the channels last");
  }
  Grid grid;
  grid.rows = sizes[0];
  grid.columns = sizes[1];
  grid.channels = sizes.size() == 3 ? sizes[2] : 1;
  grid.cells.resize(cell_count(grid));
  const std::string type = header_field(header, "descr", path);
  if (type.find("<f8") < 5)
    read_values<double>(file, grid, path);
  else if (type.find("<f4") < 5)
    read_values<float>(file, grid, path);
  else if (type.find("|u1") < 5)
    read_values<std::uint8_t>(file, grid, path);
  else
    fail(path, "has an element type other than float64, float32 and uint8 (little-endian)");
  return grid;
}

void write_netpbm(std::ostream& file, const Grid& grid) {
  file << (grid.channels == 3 ? "P6" : "P5") << '\n' << grid.columns << ' ' << grid.rows << "\n255\n";
  for (const std::uint8_t value : pixels(grid)) file.put(static_cast<char>(value));
}

void write_npy(std::ostream& file, const Grid& grid) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(grid.rows) + ", " +
                       std::to_string(grid.columns) +
                       (grid.channels > 1 ? ", " + std::to_string(grid.channels) : std::string()) + "), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  file.write("\x93NUMPY\x01\x00", 8);
  file.put(static_cast<char>(header.size() % 256)).put(static_cast<char>(header.size() / 256)) << header;
  for (std::size_t k = 0; k < grid.cells.size(); ++k) {
    const double value = grid.cells[place(grid, k)];
    file.write(reinterpret_cast<const char*>(&value), sizeof value);
  }
}

}  // namespace

Grid read_grid(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, "cannot be opened");
  return std::filesystem::path(path).extension() == ".npy" ? read_npy(file, path) : read_netpbm(file, path);
}

std::vector<std::uint8_t> pixels(const Grid& grid) {
  std::vector<std::uint8_t> bytes(grid.cells.size());
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    const double value = grid.cells[place(grid, k)] / grid.white * 255;
    bytes[k] = static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
  }
  return bytes;
}

void write_grid(const std::string& path, const Grid& grid) {
  std::ofstream file(path, std::ios::binary);
  if (!file) fail(path, "cannot be written");
  if (std::filesystem::path(path).extension() == ".npy")
    write_npy(file, grid);
  else if (grid.channels == 1 || grid.channels == 3)
    write_netpbm(file, grid);
  else
    fail(path, std::to_string(grid.channels) + " channels fit only an .npy file");
  if (!file.flush()) fail(path, "could not be written whole");
}

}  // namespace stencil
