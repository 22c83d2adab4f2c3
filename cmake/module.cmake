# module(NAME <folder> [DEPENDS <folder>...] [LINKS <library>...] [TABLE <subfolder> <type>]...)
#
# One folder = one static library = one namespace. DEPENDS may name only modules added earlier: the
# order of the calls in src/CMakeLists.txt is the architecture, and no cycle can be written. LINKS
# are third-party libraries and stay private: their headers belong in .cc files. TABLE may be given
# several times: every file foo.cc of the subfolder defines `<type> foo()`.
function(module)
  cmake_parse_arguments(M "" "NAME" "DEPENDS;LINKS;TABLE" ${ARGN})
  foreach(dep IN LISTS M_DEPENDS)
    if(NOT TARGET ${dep})
      message(FATAL_ERROR "${M_NAME} depends on ${dep}, not below it in src/CMakeLists.txt")
    endif()
  endforeach()

  set(dir ${CMAKE_SOURCE_DIR}/src/${M_NAME})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/*.cc)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${dir}/*.h)
  split_tests(sources tests)
  while(M_TABLE)
    list(POP_FRONT M_TABLE folder type)
    module_table(${M_NAME} ${folder} ${type} table)
    list(APPEND sources ${table})
  endwhile()

  if(NOT sources)
    add_library(${M_NAME} INTERFACE)
    return()
  endif()
  add_library(${M_NAME} STATIC ${sources})
  # The file set makes CMake compile every header alone: all_verify_interface_header_sets.
  target_sources(${M_NAME} PUBLIC
    FILE_SET HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR}/src FILES ${headers})
  target_link_libraries(${M_NAME} PUBLIC ${M_DEPENDS} PRIVATE ${M_LINKS})

  if(tests)
    add_executable(${M_NAME}_test ${tests})
    target_link_libraries(${M_NAME}_test PRIVATE ${M_NAME} ${M_LINKS} GTest::gtest GTest::gtest_main)
    # build/bin is for programs that people run.
    set_target_properties(${M_NAME}_test PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    add_test(NAME ${M_NAME} COMMAND ${M_NAME}_test WORKING_DIRECTORY ${dir})
    set_tests_properties(${M_NAME} PROPERTIES LABELS unit TIMEOUT 300 ENVIRONMENT
      "AUSCULT_DATA=${AUSCULT_DATA};AUSCULT_LIBCHDB=${AUSCULT_LIBCHDB};AUSCULT_SOURCE_DIR=${CMAKE_SOURCE_DIR}")
  endif()
endfunction()

# Moves the tests out of the list named `code_out` into the one named `tests_out`: x_test.cc is one, unless it has
# a test itself (ks_test.cc computes the Kolmogorov-Smirnov test; ks_test_test.cc tests it).
function(split_tests code_out tests_out)
  set(code)
  set(found)
  foreach(file IN LISTS ${code_out})
    string(REGEX REPLACE "\\.cc$" "_test.cc" own_test ${file})
    if(file MATCHES "_test\\.cc$" AND NOT EXISTS ${own_test})
      list(APPEND found ${file})
    else()
      list(APPEND code ${file})
    endif()
  endforeach()
  set(${code_out} ${code} PARENT_SCOPE)
  set(${tests_out} ${found} PARENT_SCOPE)
endfunction()

# Writes the table of everything in src/<module>/<folder>/: file foo.cc must define `<type> foo()`.
function(module_table module folder type out)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${module}/${folder}/*.cc)
  split_tests(files tests)
  list(SORT files)
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    string(APPEND declarations "${type} ${name}();\n")
    string(APPEND rows "      {\"${name}\", ${name}()},\n")
  endforeach()
  string(TOLOWER ${type} header)
  set(path ${CMAKE_BINARY_DIR}/generated/${module}/${folder}.cc)
  file(CONFIGURE OUTPUT ${path} CONTENT
"// Generated from src/${module}/${folder}/ by cmake/module.cmake. Do not edit.
#include \"${module}/${header}.h\"

namespace auscult::${module} {

${declarations}
std::vector<Named<${type}>> all_${folder}() {
  return {
${rows}  };
}

}  // namespace auscult::${module}
" @ONLY)
  set(${out} ${path} PARENT_SCOPE)
endfunction()

# embed(<module> <name> <folder> <pattern>): puts the files of <folder> into the library <module> as
# `std::vector<EmbeddedFile> auscult::<module>::embedded_<name>()`, sorted by name, so that the
# program needs nothing beside itself.
function(embed module name folder pattern)
  get_target_property(kind ${module} TYPE)
  if(kind STREQUAL INTERFACE_LIBRARY)
    return()
  endif()
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/${pattern})
  list(SORT files)
  set(path ${CMAKE_BINARY_DIR}/generated/${module}/embedded_${name}.cc)
  add_custom_command(OUTPUT ${path}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${path} -DMODULE=${module} -DNAME=${name}
      "-DFILES=${files}" -DROOT=${CMAKE_SOURCE_DIR} -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    COMMENT "Embedding ${folder}/${pattern}" VERBATIM)
  target_sources(${module} PRIVATE ${path})
endfunction()
