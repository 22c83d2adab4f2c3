# git_commit(<module>): gives the module `std::string_view auscult::<module>::git_commit()`, the
# commit of the source tree at build time, or "unknown" outside of git. One small file is written
# again when the branch's log has grown; nothing else is compiled anew.
function(git_commit module)
  get_target_property(kind ${module} TYPE)
  if(kind STREQUAL INTERFACE_LIBRARY)
    return()
  endif()
  find_package(Git QUIET)
  set(changes "")
  if(Git_FOUND)
    # logs/HEAD grows with every commit and checkout; HEAD stands in where logs are switched off.
    foreach(name logs/HEAD HEAD)
      execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --git-path ${name}
        WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE file
        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
      if(NOT failed)
        get_filename_component(file ${file} ABSOLUTE BASE_DIR ${CMAKE_SOURCE_DIR})
        if(EXISTS ${file})
          list(APPEND changes ${file})
        endif()
      endif()
    endforeach()
  endif()
  set(path ${CMAKE_BINARY_DIR}/generated/${module}/git_commit.cc)
  add_custom_command(OUTPUT ${path}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${path} -DMODULE=${module} -DROOT=${CMAKE_SOURCE_DIR}
      "-DGIT=${GIT_EXECUTABLE}" -P ${CMAKE_SOURCE_DIR}/cmake/write_git_commit.cmake
    DEPENDS ${changes} ${CMAKE_SOURCE_DIR}/cmake/write_git_commit.cmake
    COMMENT "Noting the git commit" VERBATIM)
  target_sources(${module} PRIVATE ${path})
endfunction()
