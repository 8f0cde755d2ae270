# SPDX-License-Identifier: Apache-2.0
# Script of glint_embed: writes OUT, a C++ file that holds FILES (joined by |) as byte tables and
# defines FUNCTION (with its namespace), which returns them.
string(REPLACE "|" ";" files "${FILES}")
string(REGEX MATCH "^(.*)::([A-Za-z]+)$" matched "${FUNCTION}")
set(namespace ${CMAKE_MATCH_1})
set(name ${CMAKE_MATCH_2})
set(tables "")
set(rows "")
set(index 0)
foreach(file IN LISTS files)
  file(READ "${file}" hex HEX)
  get_filename_component(base "${file}" NAME)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  string(APPEND tables "constexpr char kFile${index}[] = {${bytes}'\\0'};\n")
  string(APPEND rows "    {\"${base}\", std::string_view(kFile${index}, sizeof(kFile${index}) - 1)},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${OUT}" "// Made by cmake/embed.cmake. Do not edit.
#include <span>
#include <string_view>

#include \"base/embedded_file.h\"

namespace ${namespace} {
namespace {
${tables}constexpr glint::EmbeddedFile kFiles[] = {
${rows}};
}  // namespace
std::span<const glint::EmbeddedFile> ${name}();
std::span<const glint::EmbeddedFile> ${name}() { return kFiles; }
}  // namespace ${namespace}
")
