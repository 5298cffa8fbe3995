/// @file
/// A small discrete Fourier transform: any length, fast where the length has small prime factors.
#ifndef RONDO_EXAMPLES_FFT2D_FFT_HPP
#define RONDO_EXAMPLES_FFT2D_FFT_HPP

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

namespace fft2d {

using Complex = std::complex<double>;

/// Transforms lines of one length, in place. Decimation in time, mixed radix: a line whose length n has the prime
/// factor q is q lines of length n / q, each of every q-th number.
class Fft {
 public:
  explicit Fft(std::size_t length) : roots_(length), copy_(length), few_(length) {
    for (std::size_t k = 0; k < length; ++k)
      roots_[k] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length));
  }

  void forward(std::span<Complex> line) {
    std::ranges::copy(line, copy_.begin());
    transform(copy_.data(), 1, line);
  }
  /// forward() undone.
  void inverse(std::span<Complex> line) {
    for (Complex& value : line) value = std::conj(value);
    forward(line);
    for (Complex& value : line) value = std::conj(value) / static_cast<double>(line.size());
  }

 private:
  static std::size_t smallest_factor(std::size_t n) {
    for (std::size_t q = 2; q * q <= n; ++q) {
      if (n % q == 0) return q;
    }
    return n;
  }

  /// Of every `stride`-th number from `from` on, as many as `to` has.
  void transform(const Complex* from, std::size_t stride, std::span<Complex> to) {
    const std::size_t n = to.size();
    if (n == 1) {
      to[0] = *from;
      return;
    }
    const std::size_t q = smallest_factor(n);
    const std::size_t m = n / q;
    for (std::size_t r = 0; r < q; ++r) transform(from + r * stride, stride * q, to.subspan(r * m, m));
    for (std::size_t k = 0; k < m; ++k) combine(to.data() + k, q, m, k, stride);
  }

  /// The q numbers at `to`, m apart, which are number k of q transforms, become numbers k, k + m, ... of one.
  void combine(Complex* to, std::size_t q, std::size_t m, std::size_t k, std::size_t stride) {
    if (q == 2) {
      const Complex odd = to[m] * roots_[k * stride];
      to[m] = to[0] - odd;
      to[0] += odd;
      return;
    }
    for (std::size_t r = 0; r < q; ++r) few_[r] = to[r * m];
    for (std::size_t s = 0; s < q; ++s) {
      Complex sum = few_[0];
      for (std::size_t r = 1; r < q; ++r) sum += few_[r] * roots_[r * (k + s * m) * stride % roots_.size()];
      to[s * m] = sum;
    }
  }

  std::vector<Complex> roots_;  ///< of unity
  std::vector<Complex> copy_;
  std::vector<Complex> few_;
};

}  // namespace fft2d

#endif
