# Writes OUT, a header that says which commit of SOURCE is built. Run at each build; the file changes only with its content.
# The date is that of the commit, so that the same sources give the same program.
function(ask_git to)
  execute_process(COMMAND git -C ${SOURCE} ${ARGN} OUTPUT_VARIABLE said ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    set(said "unknown")
  endif()
  set(${to} "${said}" PARENT_SCOPE)
endfunction()

set(ENV{TZ} UTC)
ask_git(commit rev-parse HEAD)
ask_git(date log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd)
ask_git(changes status --porcelain --untracked-files=no)
ask_git(tag describe --exact-match --tags HEAD)
if(commit STREQUAL "unknown")
  set(state "unknown")
elseif(changes STREQUAL "")
  set(state "clean")
else()
  set(state "dirty")
endif()
if(tag STREQUAL "unknown")
  set(tag "")
endif()
set(text "#pragma once

namespace muster {

inline constexpr const char* kBuildDate = \"${date}\";
inline constexpr const char* kGitCommit = \"${commit}\";
inline constexpr const char* kGitTreeState = \"${state}\";
inline constexpr const char* kGitTag = \"${tag}\";

}  // namespace muster
")
if(EXISTS ${OUT})
  file(READ ${OUT} before)
endif()
if(NOT "${before}" STREQUAL "${text}")
  file(WRITE ${OUT} "${text}")
endif()
