#include "upsweep/lex.hpp"

namespace upsweep {

// The Unicode Standard, table 3-7.
const char* const utf8_beyond_ascii =
    "([\\xC2-\\xDF][\\x80-\\xBF]|\\xE0[\\xA0-\\xBF][\\x80-\\xBF]|[\\xE1-\\xEC\\xEE\\xEF][\\x80-\\xBF]{2}|\\xED[\\x80-"
    "\\x9F][\\x80-\\xBF]|"
    "\\xF0[\\x90-\\xBF][\\x80-\\xBF]{2}|[\\xF1-\\xF3][\\x80-\\xBF]{3}|\\xF4[\\x80-\\x8F][\\x80-\\xBF]{2})";

std::vector<token_rule> json_grammar() {
  const std::string beyond = utf8_beyond_ascii;
  return {{"space", "[ \\t\\r\\n]+", true},
          {"{", "\\{"},
          {"}", "\\}"},
          {"[", "\\["},
          {"]", "\\]"},
          {":", ":"},
          {",", ","},
          {"string", "\"([\\x20\\x21\\x23-\\x5B\\x5D-\\x7F]|" + beyond + "|\\\\([\"\\\\/bfnrt]|u[\\da-fA-F]{4}))*\""},
          {"number", "-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+\\-]?\\d+)?"},
          {"true", "true"},
          {"false", "false"},
          {"null", "null"}};
}

std::vector<token_rule> c_grammar() {
  const std::string beyond = utf8_beyond_ascii, escape = "\\\\([^xu0-7\\n]|x[\\da-fA-F]+|u[\\da-fA-F]{4}|[0-7]{1,3})";
  return {
      {"space", "(\\s|\\\\\\r?\\n)+", true},
      {"comment", "//[^\\n]*|/\\*([^*]|\\*+[^*/])*\\*+/", true},
      {"keyword",
       "auto|break|case|const|continue|do|double|else|float|for|if|int|long|return|static|struct|switch|void|while"},
      {"name", "([A-Za-z_]|" + beyond + ")(\\w|" + beyond + ")*"},
      {"number", "\\.?\\d([eEpP][+\\-]|[\\w.]|'\\w)*"},  // as C's preprocessor has numbers
      {"string", "\"([^\"\\\\\\n\\x80-\\xFF]|" + beyond + "|" + escape + ")*\""},
      {"character", "'([^'\\\\\\n\\x80-\\xFF]|" + beyond + "|" + escape + ")+'"},
      {"operator",
       "\\+\\+?|\\+=|--?|-=|->|\\*=?|/=?|%=?|==?|!=?|<<?=?|>>?=?|<=|>=|&&?|&=|\\|\\|?|\\|=|\\^=?|~|\\?|::?|\\.|#|\\\\"},
      {"bracket", "[\\[\\](){}]"},
      {"separator", "[,;]"}};
}

}  // namespace upsweep
