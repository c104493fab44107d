// The interface of every module to JavaScript, which writes text and files to memory and reads the reply there.
#include "wasm/module.hpp"

#include <cstdlib>

namespace {

using namespace inarow::wasm;

std::vector<char> input;
std::string output;
Files files;

}  // namespace

#define INAROW_EXPORT(name) extern "C" __attribute__((export_name(#name))) auto name

// Room for so many bytes of input.
INAROW_EXPORT(room)(std::size_t bytes)->char* {
    input.resize(bytes);
    return input.data();
}

// Answers the question of so many bytes in the input. The output is {"record": …}, {"refused": {"what": …, "at": …}}
// or {"files": […]}: files to be given before the question is asked again.
INAROW_EXPORT(ask)(std::size_t bytes)->void {
    Reply reply;
    files.forget_needs();
    answer(Question(std::string_view(input.data(), bytes)), files, reply);
    if (files.needed().empty()) files.forget_missing();
    Json json;
    json.open('{');
    if (!files.needed().empty()) {
        json.key("files").open('[');
        for (const std::string& name : files.needed()) json.string(name);
        json.close(']');
    } else if (reply.refused) {
        json.key("refused").open('{').key("what").string(reply.refused->what);
        json.key("at").count_or_null(reply.refused->at).close('}');
    } else {
        json.key("record").raw(reply.record.text());
    }
    json.close('}');
    output = json.text();
}

INAROW_EXPORT(output_at)()->const char* { return output.data(); }
INAROW_EXPORT(output_size)()->std::size_t { return output.size(); }

// The input is the name of a file, then its content. If it is not `found`, there is no such file.
INAROW_EXPORT(give)(std::size_t name_bytes, std::size_t content_bytes, bool found)->void {
    const std::string name(input.data(), name_bytes);
    const char* content = input.data() + name_bytes;
    if (found)
        files.give(name, Files::Content(content, content + content_bytes));
    else
        files.give(name, std::nullopt);
}

// There are no exceptions here: what throws one elsewhere ends the module, and JavaScript hears of it as a trap. Nobody
// reads what the library has to say before it ends, and what prints it is large.
extern "C" void* __cxa_allocate_exception(std::size_t) { std::abort(); }
extern "C" void __cxa_throw(void*, void*, void*) { std::abort(); }
void std::__1::__libcpp_verbose_abort(const char*, ...) noexcept { std::abort(); }
