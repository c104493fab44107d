# Compiles with this machine's GCC, whose library asks the CPU what it has, and links with Zig, which brings the
# interfaces of all versions of glibc: the modules run on systems as old as the one named here. The C++ library is linked
# in. `.ci/wheel` uses this; a release is built in the images of manylinux instead.
set(INAROW_GLIBC 2.28)
set(zig $ENV{INAROW_ZIG}) # the program
execute_process(COMMAND g++ -print-file-name=libstdc++.a OUTPUT_VARIABLE cxx_library OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND g++ -print-file-name=libgcc_s.so.1 OUTPUT_VARIABLE gcc_library OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND g++ -print-libgcc-file-name OUTPUT_VARIABLE gcc_support OUTPUT_STRIP_TRAILING_WHITESPACE)
set(CMAKE_CXX_COMPILER g++)
set(CMAKE_CXX_CREATE_SHARED_MODULE
    "${zig} cc -target x86_64-linux-gnu.${INAROW_GLIBC} -shared -s -o <TARGET> <OBJECTS> <LINK_LIBRARIES> \
${CMAKE_CURRENT_LIST_DIR}/old-glibc.c ${cxx_library} ${gcc_library} ${gcc_support} -lm")
