# A recipe for Spack: docs/install.md says how it is used.
import os

from spack.package import *


class Rondo(CMakePackage):
    """Collective communication as task graphs on any MPI, in C and C++20: neighborhood and dense collectives, halo
    exchanges, and a plug-in that gives them to programs of MPI that know nothing of them."""

    # The checkout that this recipe lies in.
    git = "file://" + os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "..", ".."))

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("shared", default=True, description="Build a shared library")
    variant("plugin", default=True, description="Build the plug-in on MPI's profiling interface")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("googletest", type="test")
    depends_on("python@3.9:", type="test")
    depends_on("mpi@3.1:")
    depends_on("spdlog@1.10:")
    depends_on("intel-oneapi-tbb")

    conflicts("%gcc@:11", msg="Rondo is C++20 with coroutines: GCC 12 is the oldest that its tests run with")

    def cmake_args(self):
        mpi = self.spec["mpi"]
        return [
            self.define("MPI_C_COMPILER", mpi.mpicc),
            self.define("MPI_CXX_COMPILER", mpi.mpicxx),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("RONDO_BUILD_PLUGIN", "plugin"),
            self.define("RONDO_BUILD_TESTS", self.run_tests),
            self.define("RONDO_BUILD_EXAMPLES", False),
        ]
