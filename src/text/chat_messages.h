// SPDX-License-Identifier: Apache-2.0
// Messages as clients send them, made ready for a chat template: templates are written for what
// transformers hands them and check little.
#pragma once

#include "base/json.h"
#include "base/result.h"

namespace glint::text {

// `messages` in the shape of the OpenAI API. What comes out differs from it so:
//   - role "developer" is "system";
//   - content null or missing is "" for an assistant (templates would print "None");
//   - content of a tool that is a list of text parts alone is their text (some GLM templates would
//     print Python lists);
//   - tool_calls[].function.arguments is an object: the API sends the text of one, and "" or
//   nothing
//     stands for {}. Both shapes of a call are taken, with `function` and flat.
// All else stays, in its order. Fails with kInvalidArgument, which names the place
// ("messages[2].tool_calls[0]...: ..."), for what no template can take: no messages, an unknown
// role, content of another type, a call without a name, arguments that are no JSON object.
Result<Json> PrepareMessages(const Json& messages);

// The variables of a template as transformers sets them: messages, tools and documents (null when
// there are none: defined, but none), add_generation_prompt, and the members of `kwargs`, an object
// or null. Fails with kInvalidArgument when tools are neither null nor a list of objects, and when
// a kwarg would replace one of the others.
Result<Json> TemplateVariables(Json messages, Json tools, bool add_generation_prompt,
                               const Json& kwargs);

}  // namespace glint::text
