#!/usr/bin/env python3
"""Reads the recipe for Spack with a stand-in for Spack, and holds what it says against CMakeLists.txt.

Spack itself is not looked for: what is checked is that the recipe is a Python class, that the options it gives CMake are
Rondo's, and that it asks for the oldest CMake that will do.
"""
import importlib.util
import pathlib
import re
import sys
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]


class CMakePackage:
    """Of Spack's, what recipes use."""

    run_tests = False
    spec = {"mpi": types.SimpleNamespace(mpicc="mpicc", mpicxx="mpicxx")}

    def define(self, option, value):
        return f"-D{option}={value}"

    def define_from_variant(self, option, variant):
        assert variant in VARIANTS, f"{variant} is no variant"
        return f"-D{option}={variant}"


VARIANTS, DEPENDS, VERSIONS = {}, [], []


def load():
    stand_in = types.ModuleType("spack.package")
    stand_in.CMakePackage = CMakePackage
    stand_in.variant = lambda name, default, description: VARIANTS.update({name: default})
    stand_in.depends_on = lambda spec, type=None, when=None: DEPENDS.append(spec)
    stand_in.version = lambda name, branch=None, tag=None: VERSIONS.append(name)
    stand_in.license = stand_in.conflicts = lambda *_, **__: None
    sys.modules["spack"] = types.ModuleType("spack")
    sys.modules["spack.package"] = stand_in
    path = ROOT / "cmake/spack/packages/rondo/package.py"
    spec = importlib.util.spec_from_file_location("recipe", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Rondo


def main():
    lists = (ROOT / "CMakeLists.txt").read_text()
    recipe = load()
    assert recipe.git == f"file://{ROOT}", recipe.git
    assert VERSIONS and VARIANTS, "nothing to choose"
    known = set(re.findall(r"option\((\w+)", lists)) | {"MPI_C_COMPILER", "MPI_CXX_COMPILER"}
    given = [re.match(r"-D(\w+)=", argument).group(1) for argument in recipe().cmake_args()]
    assert given and set(given) <= known, f"not options of Rondo's: {set(given) - known}"
    oldest = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", lists).group(1)
    assert f"cmake@{oldest}:" in DEPENDS, DEPENDS
    # What find_package() asks for, by Spack's names.
    names = {"spdlog": "spdlog", "nlohmann_json": "nlohmann-json", "TBB": "intel-oneapi-tbb"}
    for package in re.findall(r"^find_package\((\w+) REQUIRED\)", lists, re.M):
        assert any(spec.split("@")[0] == names[package] for spec in DEPENDS), package


main()
