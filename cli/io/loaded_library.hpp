// A library that is loaded when a file asks for it: linked, each would be looked for and bring its own along at every
// start of the command. The build's headers say what its functions are.
#pragma once

#include <string>

class loaded_library {
 public:
  // `name` as a program linked with it would carry it; else where this build found it. `what` is for the sentence.
  loaded_library(const char* what, const char* name, const char* folder);

  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(address(name));
  }

 private:
  void* address(const char* name) const;
  [[noreturn]] void fail(const std::string& how) const;

  const char *what_, *name_;
  void* at_;
};
