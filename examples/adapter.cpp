// A complete adapter in C++17, with nothing but the standard library: the classical Gaussian
// mechanism behind the conformance protocol, as in adapter.py.
//
//   g++ -std=c++17 -O2 -o adapter examples/adapter.cpp
//   dporacle conform --adapter ./adapter

#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

using Fields = std::map<std::string, std::string>;

// The judge's messages have no key twice, so one map holds the outer fields and the arguments.
// Texts in them are ids, names and words such as "nan": none has an escape.
Fields read(const std::string& line) {
  Fields fields;
  std::string key;
  for (std::size_t at = 0; at < line.size();) {
    const char c = line[at];
    std::string token;
    if (c == '"') {
      const std::size_t end = line.find('"', at + 1);
      token = line.substr(at + 1, end - at - 1);
      at = end + 1;
      if (at < line.size() && line[at] == ':') {
        key = token;
        continue;
      }
    } else if (c == '-' || std::isdigit(static_cast<unsigned char>(c))) {
      const std::size_t end = line.find_first_of(",}", at);
      token = line.substr(at, end - at);
      at = end;
    } else {
      ++at;
      continue;
    }
    fields[key] = token;
  }
  return fields;
}

// Reads "nan", "inf" and "-inf" too.
double number(const Fields& fields, const char* name) {
  return std::strtod(fields.at(name).c_str(), nullptr);
}

// Δ·√(2 ln(1.25/δ))/ε is known to be enough noise for 0 < ε ≤ 1. Two logarithms, since 1.25/δ
// overflows for the smallest δ.
double classical_sigma(double epsilon, double delta, double sensitivity) {
  const bool inside = epsilon > 0 && epsilon <= 1 && delta > 0 && delta < 1 && sensitivity > 0 &&
                      sensitivity < HUGE_VAL;
  if (!inside) throw std::domain_error("out of the domain");
  const double factor = std::sqrt(2 * (std::log(1.25) - std::log(delta)));
  const double sigma = sensitivity * factor / epsilon;
  if (std::isinf(sigma)) throw std::domain_error("out of the range of floats");
  return sigma;
}

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const Fields fields = read(line);
    if (fields.at("command") == "stop") break;
    std::cout << "{\"id\": \"" << fields.at("id") << "\", ";
    if (fields.at("command") == "start") {
      std::cout << "\"protocol\": 1, \"name\": \"classical-cpp\", \"version\": \"1.0\", "
                   "\"language\": \"C++17\", \"functions\": [{\"name\": \"classical_sigma\", "
                   "\"quantity\": \"calibrate_sigma\", "
                   "\"arguments\": [\"epsilon\", \"delta\", \"sensitivity\"]}]}";
    } else {
      try {
        const double sigma = classical_sigma(number(fields, "epsilon"), number(fields, "delta"),
                                             number(fields, "sensitivity"));
        char text[40];
        std::snprintf(text, sizeof text, "%a", sigma);  // hexadecimal: nothing is rounded
        std::cout << "\"value\": \"" << text << "\"}";
      } catch (const std::domain_error& error) {
        std::cout << "\"refused\": \"" << error.what() << "\"}";
      }
    }
    std::cout << std::endl;  // flushed: the judge waits for it
  }
}
