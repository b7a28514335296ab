from spack.package import *


class Upsweep(CMakePackage, CudaPackage):
    """Data-parallel primitives (reduce, scan, sort, select, histogram, convolution, N-body) for multicore CPUs, CUDA
    GPUs and OpenCL devices."""

    url = "@URL@"

    license("Apache-2.0")

    version("0.1.0", sha256="@SHA256@")

    variant("shared", default=False, description="Build shared libraries")
    variant("opencl", default=True, description="OpenCL devices")
    variant("fftw", default=False, description="Convolutions with large masks by FFTW, which is under the GPL")
    variant("command", default=True, description="The command upsweep")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("tbb")
    depends_on("highway")
    depends_on("opencl", when="+opencl")
    depends_on("opencl-clhpp", when="+opencl")
    depends_on("fftw@3: precision=float,double", when="+fftw")
    with when("+command"):
        depends_on("cli11", type="build")
        depends_on("fmt")
        depends_on("nlohmann-json", type="build")
        depends_on("boost", type="build")
        depends_on("libpng")
        depends_on("jpeg")
        depends_on("zlib-api")

    conflicts("%gcc@:11", msg="GCC 12 or later is needed for C++20")
    conflicts("%clang@:15", msg="clang 16 or later is needed for C++20")
    conflicts("platform=darwin", msg="macOS was never tried")
    conflicts("platform=windows", msg="Windows was never tried")

    def cmake_args(self):
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("UPSWEEP_CUDA", "cuda"),
            self.define_from_variant("UPSWEEP_OPENCL", "opencl"),
            self.define_from_variant("UPSWEEP_FFTW", "fftw"),
            self.define_from_variant("UPSWEEP_CLI", "command"),
            self.define("UPSWEEP_C", False),
            self.define("UPSWEEP_CONFORMANCE", False),
            self.define("UPSWEEP_TESTS", False),
        ]
        if self.spec.satisfies("+cuda") and "none" not in self.spec.variants["cuda_arch"].value:
            args.append(self.define("UPSWEEP_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args
