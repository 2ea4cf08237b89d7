# The Catch2 suite: one binary, natively and as WebAssembly in Node. Natively every test case is a
# ctest of its own; as WebAssembly the whole binary is one, so that Node starts once. Both leave a
# count of cases for `npm test`. No test at all is a failure: Catch2 says so, and the presets do.
attn_find_catch2()

attn_sources(test_sources tests/cpp)
if(NOT test_sources)
  message(FATAL_ERROR "tests/cpp holds no test")
endif()
add_executable(attn_tests ${test_sources})
attn_defaults(attn_tests)
target_link_libraries(attn_tests PRIVATE attn_studies Catch2::Catch2WithMain)
# Tests of what the library keeps to itself (kernels, details of its arithmetic) include "kernels/...".
target_include_directories(attn_tests PRIVATE "${PROJECT_SOURCE_DIR}/cpp/src")
target_compile_definitions(attn_tests PRIVATE ATTN_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")

if(EMSCRIPTEN)
  # Catch2 reports a failed REQUIRE by an exception.
  foreach(target IN ITEMS attn attn_studies attn_catch2 attn_tests)
    target_compile_options(${target} PRIVATE -fwasm-exceptions)
  endforeach()
  # Emscripten's JavaScript for Node is CommonJS; package.json above calls .js files modules.
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/package.json" "{ \"type\": \"commonjs\" }\n")
  # NODERAWFS: the suite reads tests/data from the disk, under the same paths as natively.
  # -O1: Binaryen's passes over the whole of Catch2 would take longer than everything else here; the
  # code under test is compiled as for the module, and the optimised module has the tests in tests/web.
  # attn_tests_relaxed: the same test objects over the kernels compiled for relaxed SIMD, whose own objects keep the library's out.
  # What could differ runs: the kernels for speed, and the hashes, which must not.
  file(GLOB base_kernels CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cpp/src/kernels/*_base.cpp")
  add_executable(attn_tests_relaxed $<TARGET_OBJECTS:attn_tests> ${base_kernels})
  attn_defaults(attn_tests_relaxed)
  target_link_libraries(attn_tests_relaxed PRIVATE attn_studies Catch2::Catch2WithMain)
  target_include_directories(attn_tests_relaxed PRIVATE "${PROJECT_SOURCE_DIR}/cpp/src")
  target_compile_options(attn_tests_relaxed PRIVATE -fwasm-exceptions -mrelaxed-simd)
  foreach(target IN ITEMS attn_tests attn_tests_relaxed)
    target_link_options(${target} PRIVATE -O1 -fwasm-exceptions -sWASM_BIGINT -sALLOW_MEMORY_GROWTH
      -sSTACK_SIZE=1MB -sNODERAWFS -sENVIRONMENT=node -sEXIT_RUNTIME)
  endforeach()
  add_test(NAME attn_tests COMMAND attn_tests
    --reporter console --reporter "xml::out=${CMAKE_CURRENT_BINARY_DIR}/catch2.xml")
  add_test(NAME attn_tests_relaxed COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} "${PROJECT_SOURCE_DIR}/tests/relaxed.mjs"
    $<TARGET_FILE:attn_tests_relaxed> "[fused],[fast],[golden]"
    --reporter console --reporter "xml::out=${CMAKE_CURRENT_BINARY_DIR}/catch2-relaxed.xml")
  return()
endif()

catch_discover_tests(attn_tests)

# A stranger's project that finds the installed library. Not with sanitisers: it would have to be
# built with them too.
if(NOT ATTN_SANITIZE)
  string(REPLACE ";" ":" prefix_path "${CMAKE_PREFIX_PATH}")
  add_test(NAME consumer COMMAND "${CMAKE_COMMAND}"
    "-DBUILD=${PROJECT_BINARY_DIR}" "-DVERSION=${PROJECT_VERSION}" "-DPREFIX_PATH=${prefix_path}"
    "-DGENERATOR=${CMAKE_GENERATOR}" "-DCXX=${CMAKE_CXX_COMPILER}"
    -P "${PROJECT_SOURCE_DIR}/tests/consumer/run.cmake")
endif()
