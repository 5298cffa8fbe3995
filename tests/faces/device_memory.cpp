// Buffers in a GPU's memory are refused where the driver of CUDA can tell: here a library of that name which says so of
// memory that the test chooses. The environment tells where it is.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <rondo/rondo.hpp>

#include "tests/support/bad_input.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace rondo::internal::device_memory_test {
namespace {

class DeviceMemory : public BadInput {
 protected:
  /// Of the fake driver, whose memory begins as none.
  static void load() {
    const char* const path = std::getenv("RONDO_FAKE_CUDA");
    ASSERT_NE(path, nullptr);
    library = dlopen(path, RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
  }
  static void set(const std::vector<int>& device, const std::vector<int>& managed) {
    using Set = void (*)(unsigned long long, unsigned long long, unsigned long long, unsigned long long);
    const auto call = reinterpret_cast<Set>(dlsym(library, "fake_cuda_set"));
    ASSERT_NE(call, nullptr);
    const auto at = [](const int* address) {
      return static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(address));
    };
    call(at(device.data()), at(device.data() + device.size()), at(managed.data()), at(managed.data() + managed.size()));
  }
  static void* library;
};
void* DeviceMemory::library = nullptr;

constexpr const char* kWhy = "is in a GPU's memory, must be in the host's";

TEST_F(DeviceMemory, IsRefused) {
  std::vector<int> host(64, 1);
  std::vector<int> device(64, 2);
  std::vector<int> managed(64, 3);
  const std::array shape{4, 4};
  const std::array depths{1, 1};
  Rondo_Request request = RONDO_REQUEST_NULL;
  const auto halo = [&](std::vector<int>& values) {
    return Rondo_Halo_init(values.data(), 2, shape.data(), nullptr, depths.data(), depths.data(), MPI_ORDER_C, MPI_INT,
                           RONDO_STENCIL_BOX, good, MPI_INFO_NULL, &request);
  };
  const auto release = [&] { EXPECT_EQ(Rondo_Request_free(&request), MPI_SUCCESS); };
  // Nobody can tell without the driver.
  ASSERT_EQ(halo(device), MPI_SUCCESS);
  release();
  load();
  ASSERT_FALSE(HasFatalFailure());
  set(device, managed);
  expect_error(halo(device), MPI_ERR_BUFFER, {"Rondo_Halo_init", "array: ", kWhy}, __LINE__);
  for (std::vector<int>* values : {&host, &managed}) {
    ASSERT_EQ(halo(*values), MPI_SUCCESS);
    release();
  }
  expect_error(
      Rondo_Cart_alltoall_init(device.data(), 1, MPI_INT, host.data(), 1, MPI_INT, good, MPI_INFO_NULL, &request),
      MPI_ERR_BUFFER, {"Rondo_Cart_alltoall_init", "sendbuf: ", kWhy}, __LINE__);
  expect_error(
      Rondo_Cart_alltoall_init(host.data(), 1, MPI_INT, device.data(), 1, MPI_INT, good, MPI_INFO_NULL, &request),
      MPI_ERR_BUFFER, {"recvbuf: ", kWhy}, __LINE__);
  // The first call of its kind.
  expect_error(Rondo_Cart_alltoall(device.data(), 3, MPI_INT, host.data(), 3, MPI_INT, good), MPI_ERR_BUFFER,
               {"Rondo_Cart_alltoall", "sendbuf: ", kWhy}, __LINE__);
  expect_error(Rondo_Halo_exchange(device.data(), 2, shape.data(), nullptr, depths.data(), depths.data(), MPI_ORDER_C,
                                   MPI_INT, RONDO_STENCIL_STAR, good),
               MPI_ERR_BUFFER, {"Rondo_Halo_exchange", "array: ", kWhy}, __LINE__);
  EXPECT_EQ(Rondo_Cart_alltoall(managed.data(), 3, MPI_INT, host.data(), 3, MPI_INT, good), MPI_SUCCESS);
}

}  // namespace
}  // namespace rondo::internal::device_memory_test
