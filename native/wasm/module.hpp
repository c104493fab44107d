// What a module answers: a question as text, to which it replies with a record, with a refusal, or with the names of
// files that it needs first.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wasm/json.hpp"

namespace inarow::wasm {

// The name of the question, and its fields; those that are not given are empty.
class Question {
  public:
    // Lines: the name, then "field=value" for each field.
    explicit Question(std::string_view text) {
        name_ = line(text);
        while (!text.empty()) {
            const std::string field = line(text);
            const std::size_t equals = field.find('=');
            if (equals != field.npos) fields_.emplace(field.substr(0, equals), field.substr(equals + 1));
        }
    }

    const std::string& name() const { return name_; }
    std::string_view operator[](const char* field) const {
        const auto found = fields_.find(field);
        return found == fields_.end() ? std::string_view{} : found->second;
    }

  private:
    static std::string line(std::string_view& text) {
        const std::size_t end = text.find('\n');
        const std::string first(text.substr(0, end));
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
        return first;
    }

    std::string name_;
    std::map<std::string, std::string, std::less<>> fields_;
};

// Files of the site, by name, as far as they have been asked for and given.
class Files {
  public:
    using Content = std::vector<std::uint8_t>;

    // The content; null if it has not been given yet, and then it is needed, or if there is no such file.
    const Content* get(const std::string& name) {
        const auto found = given_.find(name);
        if (found == given_.end()) {
            needed_.insert(name);
            return nullptr;
        }
        return found->second ? &*found->second : nullptr;
    }

    void give(const std::string& name, std::optional<Content> content) {
        given_[name] = std::move(content);
        needed_.erase(name);
    }
    void drop(const std::string& name) { given_.erase(name); }
    // Those that could not be had can be asked for again.
    void forget_missing() {
        std::erase_if(given_, [](const auto& file) { return !file.second; });
    }

    const std::set<std::string>& needed() const { return needed_; }
    void forget_needs() { needed_.clear(); }

  private:
    std::map<std::string, std::optional<Content>> given_;
    std::set<std::string> needed_;
};

// Why a question is not answered; `at` is the place of the wrong character in the position, if there is one.
struct Refused {
    std::string what;
    int at = -1;
};

struct Reply {
    Json record;
    std::optional<Refused> refused;

    void refuse(Refused why) { refused = std::move(why); }
};

// Each module defines this one. If files are needed in the end, the reply is dropped, and the question asked again when
// they have been given.
void answer(const Question& question, Files& files, Reply& reply);

}  // namespace inarow::wasm
