# Installs a built tree to an empty prefix, copies the consumer project to an empty folder outside the
# checkout, configures and builds it with find_package(attention_plates) and runs it. Run by ctest as
#   cmake -DBUILD=<built tree> -DVERSION=<expected> -DPREFIX_PATH=<where xtensor is, separated by colons>
#         -DGENERATOR=<as the built tree> -DCXX=<as the built tree> -P run.cmake
cmake_minimum_required(VERSION 3.22)

if(DEFINED ENV{TMPDIR})
  set(work "$ENV{TMPDIR}")
else()
  set(work /tmp)
endif()
string(SHA256 name "${BUILD}")
string(SUBSTRING "${name}" 0 12 name)
set(work "${work}/attention-plates-consumer-${name}")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    string(JOIN " " command ${ARGN})
    message(NOTICE "${output}")
    message(FATAL_ERROR "'${command}' failed (${result})")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${work}")
file(COPY "${CMAKE_CURRENT_LIST_DIR}/project/" DESTINATION "${work}/project")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${work}/prefix")
set(ENV{CMAKE_PREFIX_PATH} "${work}/prefix:${PREFIX_PATH}:$ENV{CMAKE_PREFIX_PATH}")
run("${CMAKE_COMMAND}" -S "${work}/project" -B "${work}/build" -G "${GENERATOR}"
  "-DCMAKE_CXX_COMPILER=${CXX}" -DCMAKE_BUILD_TYPE=Release)
run("${CMAKE_COMMAND}" --build "${work}/build")
run("${work}/build/consumer")
if(NOT output STREQUAL "attention_plates ${VERSION}\n")
  message(FATAL_ERROR "the consumer printed '${output}', not the version ${VERSION}")
endif()
file(REMOVE_RECURSE "${work}")
