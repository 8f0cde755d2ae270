# SPDX-License-Identifier: Apache-2.0
# Who may use whom. This table stands once: the build links by it (glint_module in glint.cmake),
# and the test `layers` (tests/layers/check_layers.py) reads every #include against it.
#
# "module: modules it may include", besides itself and base. What those include in turn is not
# granted. apps, tests and benchmarks may use every module; x_test, x_bench and x_fuzz are as their module.
set(GLINT_MODULE_TABLE
    "base:"
    "spec:"
    "tensor:"
    "api:"
    "text:"
    "sched:"
    "device: tensor"
    "kernels: device tensor"
    "model: kernels device tensor spec"
    "engine: model kernels device tensor sched spec"
    "server: engine text api spec"
    "eval: engine model kernels device text tensor spec"
    "convert: eval text model kernels device tensor spec"
    "load: api text"
    "plan: load sched spec"
    "profile: spec eval")

# Headers of base that a module is restricted to: sched is arithmetic, it may not see a clock,
# a thread or a log.
set(GLINT_BASE_HEADERS_sched result.h check.h ids.h)
