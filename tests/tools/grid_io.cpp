// Reading and writing of the stencil example's images and arrays.
#include "examples/stencil/grid_io.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>

namespace stencil {
namespace {

class GridIo : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return ::testing::TempDir() + "rondo_grid_io_" + name; }
  std::string file(const std::string& name, const std::string& contents) const {
    std::ofstream(path(name), std::ios::binary) << contents;
    return path(name);
  }
};

TEST_F(GridIo, PlainAndRawImages) {
  const Grid plain = read_grid(file("a.pgm", "P2\n# a comment\n3 2\n# another\n9\n0 1 2 3 4 9\n"));
  EXPECT_EQ(plain.rows, 2);
  EXPECT_EQ(plain.columns, 3);
  EXPECT_EQ(plain.white, 9);
  EXPECT_EQ(plain.cells, (std::vector<double>{0, 1, 2, 3, 4, 9}));
  const Grid raw = read_grid(file("b.pgm", std::string("P5 2 1 255\n") + '\x05' + '\xff'));
  EXPECT_EQ(raw.cells, (std::vector<double>{5, 255}));
  const Grid deep = read_grid(file("c.pgm", std::string("P5 1 1 65535\n") + '\x01' + '\x02'));
  EXPECT_EQ(deep.cells, (std::vector<double>{258}));
  const Grid color = read_grid(file("d.ppm", "P3 2 1 255  1 2 3  4 5 6\n"));
  EXPECT_EQ(color.channels, 3);
  EXPECT_EQ(color.cells, (std::vector<double>{1, 4, 2, 5, 3, 6})) << "channel by channel";
}

TEST_F(GridIo, WhatIsWrittenIsReadAgain) {
  Grid grid;
  grid.rows = 2;
  grid.columns = 2;
  grid.channels = 3;
  grid.cells = {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 255};
  write_grid(path("e.ppm"), grid);
  EXPECT_EQ(read_grid(path("e.ppm")).cells, grid.cells);
  for (double& cell : grid.cells) cell += 0.125;
  write_grid(path("f.npy"), grid);
  const Grid again = read_grid(path("f.npy"));
  EXPECT_EQ(again.cells, grid.cells);
  EXPECT_EQ(again.channels, 3);
}

TEST_F(GridIo, NumpyTypes) {
  const auto npy = [&](const char* type, const std::string& data) {
    std::string header = std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (1, 2), }";
    header.append(118 - header.size() - 1, ' ');
    header += '\n';
    return file("g.npy", std::string("\x93NUMPY\x01\x00", 8) + '\x76' + '\0' + header + data);
  };
  EXPECT_EQ(read_grid(npy("|u1", "\x03\x04")).cells, (std::vector<double>{3, 4}));
  const float values[] = {1.5F, -2.0F};
  EXPECT_EQ(read_grid(npy("<f4", std::string(reinterpret_cast<const char*>(values), 8))).cells,
            (std::vector<double>{1.5, -2}));
  EXPECT_THROW(read_grid(npy(">f8", "")), std::runtime_error);
}

TEST_F(GridIo, BadFilesAreRefused) {
  EXPECT_THROW(read_grid(path("missing.pgm")), std::runtime_error);
  EXPECT_THROW(read_grid(file("h.pgm", "GIF89a")), std::runtime_error);
  EXPECT_THROW(read_grid(file("i.pgm", "P2 3 2 9 0 1 2")), std::runtime_error) << "ends early";
  EXPECT_THROW(read_grid(file("j.pgm", "P2 0 2 9")), std::runtime_error);
  EXPECT_THROW(read_grid(file("k.npy", "not numpy")), std::runtime_error);
}

}  // namespace
}  // namespace stencil
