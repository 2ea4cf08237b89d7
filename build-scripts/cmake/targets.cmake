# Helpers for the targets of the root CMakeLists.txt: what every target of ours is compiled with,
# and how its sources are collected.

# All .cpp files below a folder; CONFIGURE_DEPENDS makes a new file enough to be built.
function(attn_sources variable folder)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.cpp")
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

# Those of some sources that see kernels, and so may differ without SIMD.
function(attn_kernel_sources variable)
  set(found "")
  foreach(source IN LISTS ARGN)
    file(STRINGS "${source}" seen REGEX "ATTN_SCALAR|^#include \"kernels/" LIMIT_COUNT 1)
    if(seen OR source MATCHES "/cpp/src/kernels/")
      list(APPEND found "${source}")
    endif()
  endforeach()
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

# Warnings are private: they judge our code, not that of a project that links it. Third-party
# headers come from imported targets, which CMake passes as system headers.
function(attn_defaults target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    $<$<BOOL:${ATTN_WERROR}>:-Werror>
    # g++ 12 sees overlapping copies inside std::string's own operator+ (GCC bug 105651).
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
  # Bounds and iterator checks of the standard library, where speed is not the point.
  target_compile_definitions(${target} PRIVATE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
endfunction()

# What nearly every source includes is read once a target; it takes longer to read than most of them. A source with flags of its
# own reads it itself. So does everything under ccache, which remembers a source by what it includes.
function(attn_precompile target)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
    target_precompile_headers(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cpp/include/attn/tensor.hpp"
      <algorithm> <cmath> <functional> <limits> <map> <optional> <variant> <vector> ${ARGN})
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "/cpp/src/(kernels/|math)")
    set_source_files_properties(${sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# As WebAssembly the code is downloaded before it runs. Small code for everything but the kernels and the elementary
# functions takes a third off the module (brotli) and costs no measurable time; it changes no bit of any result. Nothing asks
# for a type at run time; Embind does so for its messages alone, unless told not to. (No -fno-exceptions: xtensor would print
# what it cannot throw, and bring iostreams along.)
function(attn_optimise_for_size target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Oz> -fno-rtti)
  target_compile_definitions(${target} PRIVATE EMSCRIPTEN_HAS_UNBOUND_TYPE_NAMES=0)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "/cpp/src/(kernels/|math)")
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)
endfunction()

# Kernels that are compiled once more for wider vectors; the base kernel asks the processor which of them it may call.
function(attn_wide_kernels)
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" OR EMSCRIPTEN)
    return()
  endif()
  foreach(stem fused fast)
    set_source_files_properties("${PROJECT_SOURCE_DIR}/cpp/src/kernels/${stem}_avx2.cpp" PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma")
    set_source_files_properties("${PROJECT_SOURCE_DIR}/cpp/src/kernels/${stem}_avx512.cpp" PROPERTIES COMPILE_OPTIONS "-mavx512f;-mfma")
  endforeach()
endfunction()

# What the benchmarks of attention compare with, where it is installed (toolchain.sh bench). Compiled for this machine: Eigen chooses its
# vectors then, as OpenBLAS and the fused kernels do when they run. (g++ 12 takes its own AVX-512 headers to read undefined values.)
function(attn_bench_peers target)
  set_source_files_properties("${PROJECT_SOURCE_DIR}/cpp/bench/peers.cpp" PROPERTIES COMPILE_OPTIONS "-march=native;-O3;-ffp-contract=fast;$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>")
  find_package(OpenBLAS CONFIG QUIET)
  find_path(ATTN_CBLAS_INCLUDE NAMES cblas.h HINTS ${OpenBLAS_INCLUDE_DIRS})
  find_library(ATTN_OPENBLAS_LIBRARY NAMES openblas)
  if(ATTN_CBLAS_INCLUDE AND ATTN_OPENBLAS_LIBRARY)
    target_include_directories(${target} SYSTEM PRIVATE "${ATTN_CBLAS_INCLUDE}")
    target_link_libraries(${target} PRIVATE "${ATTN_OPENBLAS_LIBRARY}")
    target_compile_definitions(${target} PRIVATE ATTN_BENCH_OPENBLAS=1)
  endif()
  find_package(Eigen3 CONFIG QUIET)
  if(TARGET Eigen3::Eigen)
    target_link_libraries(${target} PRIVATE Eigen3::Eigen)
    target_compile_definitions(${target} PRIVATE ATTN_BENCH_EIGEN=1)
  endif()
endfunction()
