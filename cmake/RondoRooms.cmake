# A folder is a room: what lies in it is compiled, where RONDO_UNITY_BUILD is set as one file.

# rondo_rooms(target folders...): the sources of the folders, relative to the caller's.
function(rondo_rooms target)
  foreach(room IN LISTS ARGN)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${room}/*.cpp)
    target_sources(${target} PRIVATE ${sources})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${room})
    string(REPLACE "/" "_" name ${name})
    set_source_files_properties(${sources} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${name})
  endforeach()
endfunction()
