// Which libraries of a GPU are loaded: here one that has the name of CUDA's driver. The environment tells where it is.
#include "runtime/base/host_memory.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace {
int opened = 0;
}

// Each search for a library that is not loaded opens files.
extern "C" void* dlopen(const char* file, int mode) {
  using Open = void* (*)(const char*, int);
  static const auto original = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "dlopen"));
  ++opened;
  return original(file, mode);
}

namespace rondo::internal::host_memory_test {
namespace {

TEST(HostMemory, KnowsWhichLibrariesAreLoaded) {
  const int here = 0;
  opened = 0;  // MPI opens some of its own
  for (int i = 0; i < 100; ++i) check_host_memory(&here, "buffer");
  EXPECT_EQ(loaded_gpu_library(), nullptr);
  EXPECT_EQ(opened, 0) << "nobody looks for a driver that is not there";
  const char* const path = std::getenv("RONDO_FAKE_CUDA");
  ASSERT_NE(path, nullptr);
  void* const library = dlopen(path, RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_STREQ(loaded_gpu_library(), "libcuda.so");
  for (int i = 0; i < 100; ++i) check_host_memory(&here, "buffer");
  EXPECT_LE(opened, 2) << "once for the test, once for all buffers";
  dlclose(library);
  EXPECT_EQ(loaded_gpu_library(), nullptr);
  check_host_memory(&here, "buffer");
}

}  // namespace
}  // namespace rondo::internal::host_memory_test
