# The Catch2 suite: one binary, natively and as WebAssembly in Node. Natively every test case is a
# ctest of its own; as WebAssembly the whole binary is one, so that Node starts once; sanitised or emulated, where a start takes as
# long as most cases, it runs in a few parts. All leave a count of cases for `npm test`. No test at all is a failure: Catch2 says so, and the presets do.
# The native suite is linked twice: `attn_tests_scalar` has the kernels without SIMD, and all other objects with `attn_tests`.
attn_find_catch2()

attn_sources(test_sources tests/cpp)
if(NOT test_sources)
  message(FATAL_ERROR "tests/cpp holds no test")
endif()

attn_kernel_sources(kernel_tests ${test_sources})
set(plain_tests ${test_sources})
list(REMOVE_ITEM plain_tests ${kernel_tests})

# Settings of the suite's own sources.
function(attn_test_defaults target)
  attn_defaults(${target})
  target_link_libraries(${target} PRIVATE attn_studies Catch2::Catch2WithMain)
  # Tests of what the library keeps to itself (kernels, details of its arithmetic) include "kernels/...".
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cpp/src")
  target_compile_definitions(${target} PRIVATE ATTN_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  # The code under test is optimised; of the tests themselves it only lengthens the build. At -O1 g++ 12 sees the
  # short buffer of std::string overrun where it is not used.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>
    $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Wno-array-bounds>
    $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Wno-stringop-overflow>)
endfunction()

add_library(attn_test_objects OBJECT ${plain_tests})
attn_test_defaults(attn_test_objects)
attn_precompile(attn_test_objects <catch2/catch_test_macros.hpp>)
add_executable(attn_tests ${kernel_tests} $<TARGET_OBJECTS:attn_test_objects>)
attn_test_defaults(attn_tests)

if(EMSCRIPTEN)
  # The library is that of the modules, which leaves the proofs of claims out; these objects have them, and keep the library's out.
  set(proof_sources "")
  foreach(source IN LISTS study_sources)
    file(STRINGS "${source}" seen REGEX "^#include \"evidence.hpp\"" LIMIT_COUNT 1)
    if(seen)
      list(APPEND proof_sources "${source}")
    endif()
  endforeach()
  add_library(attn_proof_objects OBJECT ${proof_sources})
  attn_defaults(attn_proof_objects)
  attn_optimise_for_size(attn_proof_objects)
  target_link_libraries(attn_proof_objects PRIVATE attn)
  attn_precompile(attn_proof_objects)
  target_sources(attn_tests PRIVATE $<TARGET_OBJECTS:attn_proof_objects>)
  # Catch2 reports a failed REQUIRE by an exception.
  foreach(target IN ITEMS attn_catch2 attn_test_objects attn_tests)
    target_compile_options(${target} PRIVATE -fwasm-exceptions)
  endforeach()
  # Emscripten's JavaScript for Node is CommonJS; package.json above calls .js files modules.
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/package.json" "{ \"type\": \"commonjs\" }\n")
  # NODERAWFS: the suite reads tests/data from the disk, under the same paths as natively.
  # -O1: Binaryen's passes over the whole of Catch2 would take longer than everything else here; the
  # code under test is compiled as for the module, and the optimised module has the tests in tests/web.
  # attn_tests_relaxed: the same test objects over the kernels compiled for relaxed SIMD and the tables of the modules for speed, whose own objects keep the library's out.
  # What could differ runs: the kernels for speed, and the hashes, which must not.
  file(GLOB base_kernels CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cpp/src/kernels/*_base.cpp")
  add_executable(attn_tests_relaxed $<TARGET_OBJECTS:attn_tests> $<TARGET_OBJECTS:attn_test_objects>
    $<TARGET_OBJECTS:attn_proof_objects> ${base_kernels} "${PROJECT_SOURCE_DIR}/cpp/src/math_exp.cpp" "${PROJECT_SOURCE_DIR}/cpp/src/math_log.cpp")
  attn_defaults(attn_tests_relaxed)
  target_compile_definitions(attn_tests_relaxed PRIVATE ATTN_TABLES_AT_START=1)
  target_link_libraries(attn_tests_relaxed PRIVATE attn_studies Catch2::Catch2WithMain)
  target_include_directories(attn_tests_relaxed PRIVATE "${PROJECT_SOURCE_DIR}/cpp/src")
  target_compile_options(attn_tests_relaxed PRIVATE -fwasm-exceptions -mrelaxed-simd)
  foreach(target IN ITEMS attn_tests attn_tests_relaxed)
    target_link_options(${target} PRIVATE -O1 -fwasm-exceptions -sWASM_BIGINT -sALLOW_MEMORY_GROWTH
      -sSTACK_SIZE=1MB -sNODERAWFS -sENVIRONMENT=node -sEXIT_RUNTIME)
  endforeach()
  # Sites are built without.
  set_target_properties(attn_test_objects attn_proof_objects attn_tests attn_tests_relaxed PROPERTIES EXCLUDE_FROM_ALL ON)
  add_test(NAME attn_tests COMMAND attn_tests
    --reporter console --reporter "xml::out=${CMAKE_CURRENT_BINARY_DIR}/catch2.xml")
  add_test(NAME attn_tests_relaxed COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} "${PROJECT_SOURCE_DIR}/tests/relaxed.mjs"
    $<TARGET_FILE:attn_tests_relaxed> "[fused],[fast],[golden]"
    --reporter console --reporter "xml::out=${CMAKE_CURRENT_BINARY_DIR}/catch2-relaxed.xml")
  return()
endif()

if(ATTN_SANITIZE OR CMAKE_CROSSCOMPILING)
  set(parts 6)
  math(EXPR last "${parts} - 1")
  foreach(part RANGE ${last})
    add_test(NAME attn_tests_${part} COMMAND attn_tests --shard-count ${parts} --shard-index ${part}
      --reporter console --reporter "xml::out=${CMAKE_CURRENT_BINARY_DIR}/catch2-${part}.xml")
  endforeach()
else()
  catch_discover_tests(attn_tests)
endif()

if(NOT ATTN_SANITIZE AND NOT ATTN_SCALAR AND NOT CMAKE_CROSSCOMPILING)
  add_executable(attn_tests_scalar ${kernel_tests} $<TARGET_OBJECTS:attn_scalar_objects> $<TARGET_OBJECTS:attn_test_objects>)
  attn_test_defaults(attn_tests_scalar)
  target_compile_definitions(attn_tests_scalar PRIVATE ATTN_SCALAR=1)
  catch_discover_tests(attn_tests_scalar TEST_PREFIX "scalar:")
endif()

# A stranger's project that finds the installed library. Not with sanitisers or another processor's compiler: it would have to be
# built with them too.
if(NOT ATTN_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  string(REPLACE ";" ":" prefix_path "${CMAKE_PREFIX_PATH}")
  add_test(NAME consumer COMMAND "${CMAKE_COMMAND}"
    "-DBUILD=${PROJECT_BINARY_DIR}" "-DVERSION=${PROJECT_VERSION}" "-DPREFIX_PATH=${prefix_path}"
    "-DGENERATOR=${CMAKE_GENERATOR}" "-DCXX=${CMAKE_CXX_COMPILER}"
    -P "${PROJECT_SOURCE_DIR}/tests/consumer/run.cmake")
endif()
