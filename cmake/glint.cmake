# SPDX-License-Identifier: Apache-2.0
# The functions that declare a module, its tests and embedded files. One target per module.

include(${CMAKE_CURRENT_LIST_DIR}/modules.cmake)

# Sets OUT to the modules that MODULE may link, from the table. An unknown module is an error.
function(glint_uses MODULE OUT)
  foreach(row IN LISTS GLINT_MODULE_TABLE)
    string(REGEX MATCH "^([a-z]+):(.*)$" matched "${row}")
    if(CMAKE_MATCH_1 STREQUAL MODULE)
      string(REGEX MATCHALL "[a-z]+" uses "${CMAKE_MATCH_2}")
      set(${OUT} ${uses} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "cmake/modules.cmake has no module named ${MODULE}")
endfunction()

# glint_module(NAME SOURCES a.cc ... [TESTS a_test.cc ...] [FUZZERS a_fuzz.cc ...])
# The library glint_NAME with the links that the table grants, its unit tests as one program
# NAME_test, and one program per fuzz target.
function(glint_module NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;TESTS;FUZZERS" ${ARGN})
  add_library(glint_${NAME} STATIC ${ARG_SOURCES})
  target_include_directories(glint_${NAME} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  glint_uses(${NAME} uses)
  if(NOT NAME STREQUAL "base")
    target_link_libraries(glint_${NAME} PUBLIC glint_base)
  endif()
  foreach(used IN LISTS uses)
    if(TARGET glint_${used})
      target_link_libraries(glint_${NAME} PUBLIC glint_${used})
    endif()
  endforeach()
  if(ARG_TESTS)
    add_executable(${NAME}_test ${ARG_TESTS})
    target_link_libraries(${NAME}_test PRIVATE glint_${NAME} GTest::gtest_main)
    gtest_discover_tests(${NAME}_test PROPERTIES LABELS unit TIMEOUT 120 DISCOVERY_TIMEOUT 60)
  endif()
  foreach(source IN LISTS ARG_FUZZERS)
    glint_fuzzer(${NAME} ${source})
  endforeach()
endfunction()

# A fuzz target. Under the preset `fuzz` (clang) it is a libFuzzer program; under the others the
# same target replays its corpus, tests/corpus/TARGET, as a test.
function(glint_fuzzer NAME SOURCE)
  get_filename_component(target ${SOURCE} NAME_WE)
  set(corpus ${PROJECT_SOURCE_DIR}/tests/corpus/${target})
  if(GLINT_FUZZ)
    add_executable(${target} ${SOURCE})
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  else()
    add_executable(${target} ${SOURCE} ${PROJECT_SOURCE_DIR}/tests/corpus/replay_main.cc)
    add_test(NAME ${target}_replay COMMAND ${target} ${corpus})
    set_tests_properties(${target}_replay PROPERTIES LABELS unit TIMEOUT 120)
  endif()
  target_link_libraries(${target} PRIVATE glint_${NAME})
endfunction()

# glint_embed(TARGET NAMESPACE_AND_FUNCTION OUT_NAME FILES...): compiles files into TARGET as a
# table of (file name, bytes). The generated OUT_NAME.cc defines
# `std::span<const glint::EmbeddedFile> FUNCTION()`; base/embedded_file.h has the type.
function(glint_embed TARGET FUNCTION OUT_NAME)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${OUT_NAME}.cc)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
  set(paths)
  foreach(file IN LISTS ARGN)
    list(APPEND paths ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  list(JOIN paths "|" joined)
  add_custom_command(
    OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -DFUNCTION=${FUNCTION} -DOUT=${generated} "-DFILES=${joined}" -P ${script}
    DEPENDS ${paths} ${script}
    COMMENT "Embedding ${OUT_NAME}"
    VERBATIM)
  target_sources(${TARGET} PRIVATE ${generated})
endfunction()

# glint_isa_sources(NAME ISAS avx2 avx512 FILES a_cpu.cc ...): compiles the files once for each
# instruction set into module NAME, each time with GLINT_ISA as the name of their namespace.
# Contraction to fused multiply-adds is part of the arithmetic, so it is asked for by name.
# -Wconversion is off for kernels (style.md, 9). Under sanitizers g++ 12 takes ten times as long for
# -O3, minutes for a file.
function(glint_isa_sources NAME)
  cmake_parse_arguments(OF "" "" "ISAS;FILES" ${ARGN})
  set(options_baseline "")
  set(options_avx2 -mavx2 -mfma -mf16c)
  # g++ 12 takes the undefined vectors of its own avx512fintrin.h for a mistake.
  set(options_avx512 ${options_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni
                     -Wno-maybe-uninitialized)
  set(options_amx ${options_avx512})  # and tiles in assembly
  set(optimisation -O3)
  if(GLINT_SANITIZE)
    set(optimisation -O1)
  endif()
  foreach(isa ${OF_ISAS})
    set(target glint_${NAME}_${isa})
    add_library(${target} OBJECT ${OF_FILES})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_compile_definitions(${target} PRIVATE GLINT_ISA=${isa})
    target_compile_options(${target} PRIVATE ${optimisation} -ffp-contract=fast -fno-math-errno
                                             -Wno-conversion -Wno-pedantic -Wno-psabi ${options_${isa}})
    target_sources(glint_${NAME} PRIVATE $<TARGET_OBJECTS:${target}>)
  endforeach()
endfunction()
