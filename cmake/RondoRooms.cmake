# A folder is a room. Where RONDO_UNITY_BUILD is set, a room is compiled as one file, or several rooms are: a small room
# takes most of its time for what it includes.

# rondo_rooms(target rooms...): the sources of the folders, relative to the caller's. ROOM+ROOM: as one file.
function(rondo_rooms target)
  foreach(rooms IN LISTS ARGN)
    file(RELATIVE_PATH group ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${rooms})
    string(REGEX REPLACE "[/+]" "_" group ${group})
    string(REPLACE "+" ";" rooms ${rooms})
    foreach(room IN LISTS rooms)
      file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${room}/*.cpp)
      target_sources(${target} PRIVATE ${sources})
      set_source_files_properties(${sources} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
    endforeach()
  endforeach()
endfunction()
