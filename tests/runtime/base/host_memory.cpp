// Which libraries of a GPU are loaded: here a library with the name of CUDA's driver, and copies of it with the names
// of others. The environment tells where it is.
#include "runtime/base/host_memory.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

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

/// A library of that name, loaded; the fake driver under another name.
class FakeLibrary {
 public:
  explicit FakeLibrary(const std::string& name)
      : folder_(std::filesystem::temp_directory_path() / ("rondo-" + std::to_string(getpid()) + name)) {
    std::filesystem::create_directory(folder_);
    const std::filesystem::path file = folder_ / name;
    std::filesystem::copy_file(std::getenv("RONDO_FAKE_CUDA"), file);
    library_ = dlopen(file.c_str(), RTLD_NOW);
    EXPECT_NE(library_, nullptr) << dlerror();
  }
  FakeLibrary(const FakeLibrary&) = delete;
  FakeLibrary& operator=(const FakeLibrary&) = delete;
  ~FakeLibrary() {
    if (library_ != nullptr) dlclose(library_);
    std::filesystem::remove_all(folder_);
  }

 private:
  std::filesystem::path folder_;
  void* library_ = nullptr;
};

TEST(HostMemory, LevelZeroDoesNotCountIfHwlocHasLoadedIt) {
  ASSERT_NE(std::getenv("RONDO_FAKE_CUDA"), nullptr);
  std::ifstream maps("/proc/self/maps");
  const std::string mapped{std::istreambuf_iterator<char>(maps), {}};
  if (mapped.find("hwloc_levelzero.so") != std::string::npos) GTEST_SKIP() << "MPI's hwloc has loaded it here";
  {
    const FakeLibrary level_zero("libze_loader.so.1");
    EXPECT_STREQ(loaded_gpu_library(), "libze_loader.so");
    const FakeLibrary of_hwloc("hwloc_levelzero.so");
    EXPECT_STREQ(loaded_gpu_library(), "libze_loader.so") << "the program has loaded it before hwloc";
  }
  const FakeLibrary of_hwloc("hwloc_levelzero.so");
  const FakeLibrary level_zero("libze_loader.so.1");
  EXPECT_EQ(loaded_gpu_library(), nullptr);
  const FakeLibrary sycl("libsycl.so.7");
  EXPECT_STREQ(loaded_gpu_library(), "libsycl.so");
}

}  // namespace
}  // namespace rondo::internal::host_memory_test
