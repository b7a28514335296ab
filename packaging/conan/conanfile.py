import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get, rmdir
from conan.tools.gnu import PkgConfigDeps

required_conan_version = ">=2.0"


class UpsweepConan(ConanFile):
    name = "upsweep"
    version = "0.1.0"
    description = "Data-parallel primitives for multicore CPUs, CUDA GPUs and OpenCL devices"
    license = "Apache-2.0"
    topics = ("parallel", "sort", "scan", "reduce", "cuda", "opencl")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "cuda": [True, False], "opencl": [True, False], "fftw": [True, False]}
    # FFTW is under the GPL, so a program that links it is, too.
    default_options = {"shared": False, "cuda": False, "opencl": True, "fftw": False}

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration(f"{self.ref} was never tried on {self.settings.os}; it supports Linux")

    def layout(self):
        cmake_layout(self, src_folder="src")

    def requirements(self):
        self.requires("onetbb/2021.12.0", transitive_headers=True)
        self.requires("highway/1.2.0")
        if self.options.opencl:
            self.requires("opencl-clhpp-headers/2023.12.14", transitive_headers=True)
            self.requires("opencl-icd-loader/2023.12.14")
        if self.options.fftw:
            self.requires("fftw/3.3.10")

    def source(self):
        get(self, url="@URL@", sha256="@SHA256@", strip_root=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for option in ("cuda", "opencl", "fftw"):
            toolchain.cache_variables[f"UPSWEEP_{option.upper()}"] = bool(self.options.get_safe(option))
        for off in ("CLI", "C", "CONFORMANCE", "TESTS"):
            toolchain.cache_variables[f"UPSWEEP_{off}"] = False
        toolchain.generate()
        dependencies = CMakeDeps(self)
        dependencies.set_property("highway", "cmake_file_name", "HWY")
        dependencies.set_property("highway", "cmake_target_name", "hwy")
        dependencies.generate()
        PkgConfigDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "upsweep")
        self.cpp_info.set_property("cmake_target_name", "upsweep::upsweep")
        self.cpp_info.libs = ["upsweep"]
        self.cpp_info.requires = ["onetbb::libtbb", "highway::hwy"]
        if self.options.opencl:
            self.cpp_info.requires += ["opencl-clhpp-headers::opencl-clhpp-headers", "opencl-icd-loader::opencl-icd-loader"]
        if self.options.fftw:
            self.cpp_info.requires.append("fftw::fftw")
        self.cpp_info.system_libs = ["pthread", "dl", "m"]
