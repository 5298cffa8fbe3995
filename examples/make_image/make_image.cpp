// Makes the sample images of this folder: hills of value noise under a low sun, with a few discs. Always the same ones.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace {

/// A number in [0, 1) for each lattice point.
double lattice(int x, int y, int octave) {
  std::uint32_t hash = static_cast<std::uint32_t>(x) * 374761393U + static_cast<std::uint32_t>(y) * 668265263U +
                       static_cast<std::uint32_t>(octave) * 2246822519U;
  hash = (hash ^ (hash >> 13)) * 1274126177U;
  return ((hash ^ (hash >> 16)) & 0xffffffU) / 16777216.0;
}

double smooth(double t) { return t * t * (3 - 2 * t); }

double height(double x, double y) {
  double sum = 0;
  double weight = 0.5;
  for (int octave = 0; octave < 6; ++octave) {
    const int column = static_cast<int>(std::floor(x));
    const int row = static_cast<int>(std::floor(y));
    const double a = smooth(x - column);
    const double b = smooth(y - row);
    const double top = lattice(column, row, octave) * (1 - a) + lattice(column + 1, row, octave) * a;
    const double bottom = lattice(column, row + 1, octave) * (1 - a) + lattice(column + 1, row + 1, octave) * a;
    sum += weight * (top * (1 - b) + bottom * b);
    weight /= 2;
    x *= 2;
    y *= 2;
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: make_image COLUMNS ROWS FILE.pgm|FILE.ppm\n");
    return 2;
  }
  const int columns = std::atoi(argv[1]);
  const int rows = std::atoi(argv[2]);
  const std::string path = argv[3];
  const bool color = path.ends_with(".ppm");
  if (columns < 1 || rows < 1) {
    std::fprintf(stderr, "make_image: sizes must be at least 1\n");
    return 2;
  }
  std::ofstream file(path, std::ios::binary);
  file << (color ? "P6" : "P5") << '\n' << "# made by examples/make_image\n" << columns << ' ' << rows << "\n255\n";
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      const double x = j / 60.0;
      const double y = i / 60.0;
      const double here = height(x, y);
      double light = 0.55 + 9 * (height(x + 0.02, y + 0.02) - here) + 0.35 * (here - 0.5);
      for (int disc = 0; disc < 6; ++disc) {
        const double dx = j - columns * lattice(disc, 1, 9);
        const double dy = i - rows * lattice(disc, 2, 9);
        if (dx * dx + dy * dy < 200.0 + 900.0 * lattice(disc, 3, 9)) light = lattice(disc, 4, 9);
      }
      const auto pixel = [&](double value) {
        file.put(static_cast<char>(static_cast<unsigned char>(value < 0 ? 0 : value > 1 ? 255 : value * 255)));
      };
      pixel(light);
      if (!color) continue;
      pixel(0.3 + 0.7 * light * here);
      pixel(1 - here);
    }
  }
  return file.flush() ? 0 : 1;
}
