# Third-party libraries: the copies that toolchain.sh unpacked into .toolchain/ when they are
# there (their versions are the pinned ones), else installed packages. Defines
#   attn_find_xtensor()   -> target xtensor
#   attn_find_catch2()    -> target Catch2::Catch2WithMain, command catch_discover_tests
# Nothing is downloaded here.
include("${CMAKE_CURRENT_LIST_DIR}/versions.cmake")
set(ATTN_TOOLCHAIN_DIR "${PROJECT_SOURCE_DIR}/.toolchain")

function(_attn_missing what)
  message(FATAL_ERROR "${what} was not found. Run 'build-scripts/toolchain.sh native' (Debian), or install it "
    "with your package manager and, when it is in an unusual place, name its prefix in CMAKE_PREFIX_PATH.")
endfunction()

# The package's own configuration file refuses a 64-bit package for a 32-bit target and so for
# WebAssembly; there the headers are taken as they are.
macro(attn_find_xtensor)
  if(NOT EMSCRIPTEN)
    list(APPEND CMAKE_PREFIX_PATH "${ATTN_TOOLCHAIN_DIR}/usr")
    find_package(xtensor ${ATTN_PIN_XTENSOR_MIN} CONFIG QUIET)
    if(xtensor_FOUND)
      message(STATUS "xtensor ${xtensor_VERSION}: ${xtensor_DIR}")
    endif()
  endif()
  if(NOT TARGET xtensor)
    find_path(ATTN_XTENSOR_INCLUDE NAMES xtensor/xtensor_config.hpp xtensor/core/xtensor_config.hpp
      HINTS "${ATTN_TOOLCHAIN_DIR}/usr/include" /usr/local/include /usr/include NO_CMAKE_FIND_ROOT_PATH)
    if(NOT ATTN_XTENSOR_INCLUDE)
      _attn_missing("xtensor ${ATTN_PIN_XTENSOR_MIN} or newer")
    endif()
    add_library(xtensor INTERFACE IMPORTED)
    target_include_directories(xtensor INTERFACE "${ATTN_XTENSOR_INCLUDE}")
    message(STATUS "xtensor: ${ATTN_XTENSOR_INCLUDE}")
  endif()
endmacro()

# Catch2's amalgamated source is one translation unit, so it is compiled for every preset with the
# preset's own flags: natively, with sanitisers, and as WebAssembly.
macro(attn_find_catch2)
  set(_catch "${ATTN_TOOLCHAIN_DIR}/catch2")
  if(EXISTS "${_catch}/extras/catch_amalgamated.cpp")
    set(CATCH_CONFIG_DEFAULT_REPORTER console)
    set(CATCH_CONFIG_CONSOLE_WIDTH 100)
    configure_file("${_catch}/src/catch2/catch_user_config.hpp.in" catch2/include/catch2/catch_user_config.hpp)
    add_library(attn_catch2 STATIC EXCLUDE_FROM_ALL "${_catch}/extras/catch_amalgamated.cpp")
    target_compile_features(attn_catch2 PUBLIC cxx_std_20)
    target_include_directories(attn_catch2 SYSTEM PUBLIC
      "${_catch}/src" "${CMAKE_CURRENT_BINARY_DIR}/catch2/include" PRIVATE "${_catch}/extras")
    # The tests spend no time in Catch2 itself; optimising it only lengthens the build.
    target_compile_options(attn_catch2 PRIVATE -O0)
    add_library(Catch2::Catch2WithMain ALIAS attn_catch2)
    include("${_catch}/extras/Catch.cmake")
  else()
    find_package(Catch2 ${ATTN_PIN_CATCH2_MIN} CONFIG QUIET)
    if(NOT Catch2_FOUND)
      _attn_missing("Catch2 ${ATTN_PIN_CATCH2_MIN} or newer (needed by the tests; -DATTN_BUILD_TESTS=OFF leaves them out)")
    endif()
    include(Catch)
  endif()
endmacro()
