// SPDX-License-Identifier: Apache-2.0
#include "base/thread_name.h"

#include <pthread.h>

#include <string>

namespace glint {

void NameThread(const char* name) {
  constexpr std::size_t kLongest = 15;  // Linux refuses longer ones
  (void)pthread_setname_np(pthread_self(), std::string(name).substr(0, kLongest).c_str());
}

}  // namespace glint
