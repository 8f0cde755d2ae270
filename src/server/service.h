// SPDX-License-Identifier: Apache-2.0
// The routes: what each path does with a request, over one served model.
#pragma once

#include <memory>

#include "base/fallback.h"
#include "server/served_model.h"

namespace glint::server {

class HttpHandler;

// Thread-safe.
class Service {
 public:
  // `model`'s parts and `fallbacks` (may be null) must outlive the object.
  Service(ServedModel model, const FallbackLog* fallbacks);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  [[nodiscard]] HttpHandler& handler();

  // From now on new work is refused with 503 and /health/ready says so; running work goes on.
  void StartDraining();

 private:
  class Routes;
  std::unique_ptr<Routes> routes_;
};

}  // namespace glint::server
