// SPDX-License-Identifier: Apache-2.0
#include "apps/chat/chat_command.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <iostream>

#include "apps/run_command.h"
#include "apps/serving.h"
#include "base/flags.h"
#include "base/format.h"
#include "base/log.h"
#include "server/conversation.h"

namespace glint {
namespace {

struct ChatFlags {
  ServingFlags serving{.max_sequences = 1, .max_waiting = 0};
  std::string prompt;
  std::string system;
  std::int64_t max_tokens = 0;
  double temperature = -1;
  std::int64_t seed = -1;
  bool no_thinking = false;
  bool stats = false;
  void Visit(FlagVisitor& visitor) {
    serving.Visit(visitor);
    visitor.Flag(prompt, "p,prompt", "TEXT", "answer this and end; -: read it from stdin");
    visitor.Flag(system, "system", "TEXT", "the system message");
    visitor.Flag(max_tokens, "max-tokens", "TOKENS", "of an answer; 0: what the context holds");
    visitor.Flag(temperature, "temperature", "T", "0: most likely tokens; -1: the model's default");
    visitor.Flag(seed, "seed", "N", "same seed, same answer; -1: a new one each time");
    visitor.Flag(no_thinking, "no-thinking", "",
                 "ask the template for an answer without reasoning");
    visitor.Flag(stats, "stats", "", "tokens and speed after each answer, on stderr");
  }
};

std::atomic<bool> interrupted = false;  // Ctrl-C ends the answer, not the program

Result<api::ChatRequest> MakeRequest(const ChatFlags& flags) {
  api::ChatRequest request;
  if (flags.max_tokens < 0) {
    return InvalidArgument(format("--max-tokens is {}, must not be negative", flags.max_tokens));
  }
  if (flags.temperature != -1 && !(flags.temperature >= 0 && flags.temperature <= 100)) {
    return InvalidArgument(format("--temperature is {}, must be 0 to 100", flags.temperature));
  }
  if (flags.max_tokens > 0) request.fields.max_tokens = flags.max_tokens;
  if (flags.temperature >= 0) request.fields.temperature = flags.temperature;
  if (flags.seed >= 0) request.fields.seed = static_cast<std::uint64_t>(flags.seed);
  if (flags.no_thinking) request.template_variables.Add("enable_thinking", false);
  return request;
}

// Reasoning dimmed on a terminal, on stderr otherwise, so that a pipe gets the answer alone.
class Screen {
 public:
  void Show(const server::AnswerDelta& delta) {
    if (!delta.reasoning.empty()) {
      if (terminal_ && !std::exchange(dim_, true)) std::fputs("\033[2m", stdout);
      std::fputs(delta.reasoning.c_str(), terminal_ ? stdout : stderr);
    }
    if (!delta.content.empty()) {
      if (std::exchange(dim_, false)) std::fputs("\033[0m\n\n", stdout);
      std::fputs(delta.content.c_str(), stdout);
    }
    std::fflush(stdout);
  }
  void End() {
    if (std::exchange(dim_, false)) std::fputs("\033[0m", stdout);
    std::fputs("\n", stdout);
    std::fflush(stdout);
  }

 private:
  bool terminal_ = isatty(STDOUT_FILENO) == 1;
  bool dim_ = false;
};

Status Answer(server::Conversation& conversation, const std::string& text, bool stats) {
  Screen screen;
  interrupted = false;
  const Result<server::Turn> turn = conversation.Say(
      text, [&](const server::AnswerDelta& delta) { screen.Show(delta); }, interrupted);
  if (!turn.ok()) return turn.error();
  screen.End();
  const server::Turn& done = turn.value();
  if (done.finish_reason == "length") LogInfo("the answer was cut by its length limit");
  if (stats) {
    LogInfo(format("{} prompt tokens, first token after {:.3f} s; {} tokens, {:.1f} tok/s",
                   done.usage.prompt_tokens, done.first_token_s, done.usage.completion_tokens,
                   done.decode_tok_per_s));
  }
  return Ok();
}

std::string ReadAll(std::istream& in) {
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Lines from the terminal until /quit or the end of input. A turn that fails does not end it.
Status Talk(server::Conversation& conversation, const ChatFlags& flags) {
  (void)std::signal(SIGINT, [](int) { interrupted = true; });
  const bool terminal = isatty(STDIN_FILENO) == 1;
  if (terminal) std::printf("/new forgets the conversation, /quit or Ctrl-D ends.\n");
  std::string line;
  while (true) {
    if (terminal) {
      std::fputs("> ", stdout);
      std::fflush(stdout);
    }
    if (!std::getline(std::cin, line) || line == "/quit") return Ok();
    if (line == "/new") conversation.Forget();
    if (line.empty() || line == "/new") continue;
    const Status status = Answer(conversation, line, flags.stats);
    if (!status.ok()) LogError(status.error().message);
  }
}

Status Chat(const ChatFlags& flags) {
  GLINT_ASSIGN(api::ChatRequest request, MakeRequest(flags));
  GLINT_ASSIGN(const Serving serving, StartServing(flags.serving));
  server::Conversation conversation(serving.Model("", flags.serving), flags.system,
                                    std::move(request));
  if (flags.prompt.empty()) return Talk(conversation, flags);
  return Answer(conversation, flags.prompt == "-" ? ReadAll(std::cin) : flags.prompt, flags.stats);
}

}  // namespace

int RunChat(const std::vector<std::string>& arguments) {
  const CommandText text{.name = "glint chat",
                         .summary = "Talks with a model in the terminal, or answers one prompt.",
                         .examples =
                             "  glint chat ./model\n"
                             "  glint chat ./model -p 'Tell me a story' --temperature 0\n"
                             "  git diff | glint chat ./model --system 'Summarise this diff' -p -"};
  return RunCommand(text, arguments, Chat);
}

}  // namespace glint
