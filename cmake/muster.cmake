# Compiler settings and the one function every module uses: muster_module().

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# For presets with CMAKE_UNITY_BUILD: how many files are compiled together.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

option(MUSTER_TESTS "Build the unit and contract tests" ON)
option(MUSTER_FUZZ "Build the libFuzzer targets of tests/fuzz (Clang only)" OFF)
set(MUSTER_SANITIZE "" CACHE STRING "Sanitizers to build with, as in -fsanitize=")

# Designated initialisers leave members out on purpose; g++ 12 warns of every one of them.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Werror -Wno-missing-field-initializers)
# The files of a unity build include sources by absolute paths: without this, clones could not share compiled files.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
if(MUSTER_SANITIZE)
  add_compile_options(-fsanitize=${MUSTER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${MUSTER_SANITIZE})
endif()
if(MUSTER_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND MUSTER_SANITIZE)
  # g++ 12 reports uninitialised members inside std::variant when it also instruments them.
  add_compile_options(-Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_UNITY_BUILD)
  # A named type of a .cc file may have a field of an anonymous namespace; g++ takes each .cc file of a unity build for
  # a header. dev compiles each file by itself and so still finds such a field in a real header.
  add_compile_options(-Wno-subobject-linkage)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

find_package(Threads REQUIRED)
find_package(GTest)

# Debian installs these as static archives; the binary needs nothing but libc at run time.
function(muster_static_library target archive)
  find_library(path_${target} NAMES ${archive} REQUIRED)
  add_library(${target} INTERFACE)
  target_link_libraries(${target} INTERFACE ${path_${target}})
endfunction()
muster_static_library(lib_boost_json libboost_json.a)
muster_static_library(lib_boost_container libboost_container.a)
muster_static_library(lib_ssl libssl.a)
muster_static_library(lib_crypto libcrypto.a)
muster_static_library(lib_sqlite libsqlite3.a)
muster_static_library(lib_yaml libyaml-cpp.a)
muster_static_library(lib_z libz.a)
target_link_libraries(lib_boost_json INTERFACE lib_boost_container)
target_link_libraries(lib_ssl INTERFACE lib_crypto Threads::Threads ${CMAKE_DL_LIBS})
target_link_libraries(lib_sqlite INTERFACE Threads::Threads ${CMAKE_DL_LIBS} m)

# muster_module(NAME SOURCES a.cc … [TESTS a_test.cc …] [ALONE b.cc …] [USES modules and libraries…])
#
# Presets with CMAKE_UNITY_BUILD compile the files of a folder together; ALONE are those that share
# names of their anonymous namespaces with another file of the folder on purpose.
#
# One static library per folder of src/, and one test program NAME_test with it. The include table is checked by
# tools/check_layers.py: the compiler would not object, because there is one include root.
function(muster_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;TESTS;ALONE;USES" ${ARGN})
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC ${ARG_USES})
  if(MUSTER_TESTS AND ARG_TESTS)
    add_executable(${name}_test ${ARG_TESTS})
    target_link_libraries(${name}_test PRIVATE ${name} testing GTest::gmock GTest::gtest_main)
    add_test(NAME ${name} COMMAND ${name}_test)
    set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 120)
  endif()
endfunction()
