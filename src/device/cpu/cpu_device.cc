// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/cpu_device.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "device/cpu/work_queue.h"

namespace glint::device {
namespace {

using CpuWork = std::function<void(WorkerPool& pool)>;

class CpuGraph : public Graph {
 public:
  explicit CpuGraph(std::vector<CpuWork> work) : work_(std::move(work)) {}
  void Run(WorkerPool& pool) const {
    for (const CpuWork& piece : work_) piece(pool);
  }

 private:
  std::vector<CpuWork> work_;
};

class CpuEvent : public Event {
 public:
  [[nodiscard]] bool IsDone() const override { return done_.load(std::memory_order_acquire); }
  void Synchronize() const override { done_.wait(false, std::memory_order_acquire); }
  void SetPending() { done_.store(false, std::memory_order_relaxed); }
  void SetDone() {
    done_.store(true, std::memory_order_release);
    done_.notify_all();
  }

 private:
  std::atomic<bool> done_ = true;
};

// The kernel workers, which run one piece of work at a time whichever stream it comes from.
struct SharedPool {
  explicit SharedPool(int threads) : pool(threads) {}
  WorkerPool pool;
  std::mutex mutex;
};

class CpuStream : public Stream {
 public:
  CpuStream(SharedPool& shared, FallbackLog& fallbacks, CpuStreams streams)
      : shared_(shared), fallbacks_(fallbacks) {
    if (streams == CpuStreams::kQueued) queue_ = std::make_unique<WorkQueue>();
  }
  void Report(const std::string& reason) { fallbacks_.Report(reason); }
  void Submit(CpuWork work) {
    if (capturing_) {
      captured_.push_back(std::move(work));
    } else {
      Enqueue([this, work = std::move(work)] {
        const std::lock_guard lock(shared_.mutex);
        work(shared_.pool);
      });
    }
  }
  void Copy(void* to, const void* from, std::int64_t bytes) override {
    Submit([=](WorkerPool&) { std::memmove(to, from, static_cast<std::size_t>(bytes)); });
  }
  void FillZero(void* to, std::int64_t bytes) override {
    Submit([=](WorkerPool&) { std::memset(to, 0, static_cast<std::size_t>(bytes)); });
  }
  void Record(Event& event) override {
    GLINT_CHECK(!capturing_, "Record inside a capture");
    auto* cpu_event = dynamic_cast<CpuEvent*>(&event);
    GLINT_CHECK(cpu_event != nullptr, "an event of another device");
    cpu_event->SetPending();
    Enqueue([cpu_event] { cpu_event->SetDone(); });
  }
  void Wait(const Event& event) override {
    Enqueue([&event] { event.Synchronize(); });
  }
  Status Synchronize() override {
    GLINT_CHECK(!capturing_, "Synchronize inside a capture");
    if (queue_) queue_->Drain();
    return Ok();
  }
  void BeginCapture() override {
    GLINT_CHECK(!capturing_, "a capture is open already");
    capturing_ = true;
  }
  std::unique_ptr<Graph> EndCapture() override {
    GLINT_CHECK(capturing_, "no capture is open");
    capturing_ = false;
    return std::make_unique<CpuGraph>(std::exchange(captured_, {}));
  }
  void Launch(Graph& graph) override {
    auto* cpu_graph = dynamic_cast<CpuGraph*>(&graph);
    GLINT_CHECK(cpu_graph != nullptr, "a graph of another device");
    Submit([cpu_graph](WorkerPool& pool) { cpu_graph->Run(pool); });
  }

 private:
  void Enqueue(std::function<void()> work) {
    if (queue_) {
      queue_->Push(std::move(work));
    } else {
      work();
    }
  }

  SharedPool& shared_;
  FallbackLog& fallbacks_;
  bool capturing_ = false;
  std::vector<CpuWork> captured_;
  std::unique_ptr<WorkQueue> queue_;  // null: work runs at once. Last, so that it ends first.
};

// Anonymous pages: zero, and touched only when used.
class CpuMemory : public Memory {
 public:
  CpuMemory(std::byte* data, std::int64_t bytes) : data_(data), bytes_(bytes) {}
  ~CpuMemory() override {
    if (data_ != nullptr) munmap(data_, static_cast<std::size_t>(bytes_));
  }
  CpuMemory(const CpuMemory&) = delete;
  CpuMemory& operator=(const CpuMemory&) = delete;
  [[nodiscard]] std::byte* data() const override { return data_; }
  [[nodiscard]] std::int64_t bytes() const override { return bytes_; }

 private:
  std::byte* data_;
  std::int64_t bytes_;
};

class CpuDevice : public Device {
 public:
  CpuDevice(int threads, FallbackLog* fallbacks, CpuStreams streams)
      : shared_(threads),
        streams_(streams),
        fallbacks_(fallbacks != nullptr ? *fallbacks : own_fallbacks_) {
    properties_.name = "cpu";
    properties_.memory_bytes = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    properties_.memory_alignment = sysconf(_SC_PAGESIZE);
  }
  [[nodiscard]] const DeviceProperties& properties() const override { return properties_; }
  Result<std::unique_ptr<Memory>> Allocate(std::int64_t bytes) override {
    GLINT_CHECK(bytes >= 0, "bytes to allocate");
    if (bytes == 0) return std::unique_ptr<Memory>(std::make_unique<CpuMemory>(nullptr, 0));
    // The kernel would promise more than there is and kill the process later; refuse now.
    void* data = bytes > properties_.memory_bytes
                     ? MAP_FAILED
                     : mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) {
      return ResourceExhausted(format("cpu: {} wanted, this machine has {}",
                                      HumanBytes(static_cast<double>(bytes)),
                                      HumanBytes(static_cast<double>(properties_.memory_bytes))));
    }
    // A hint: with 2 MiB pages reads are about a tenth faster. Refusal costs nothing else.
    (void)madvise(data, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
    return std::unique_ptr<Memory>(
        std::make_unique<CpuMemory>(static_cast<std::byte*>(data), bytes));
  }
  std::unique_ptr<Stream> CreateStream() override {
    return std::make_unique<CpuStream>(shared_, fallbacks_, streams_);
  }
  std::unique_ptr<Event> CreateEvent() override { return std::make_unique<CpuEvent>(); }

 private:
  SharedPool shared_;
  CpuStreams streams_;
  FallbackLog own_fallbacks_;
  FallbackLog& fallbacks_;
  DeviceProperties properties_;
};

}  // namespace

std::unique_ptr<Device> MakeCpuDevice(int threads, FallbackLog* fallbacks, CpuStreams streams) {
  const auto processors = static_cast<int>(std::thread::hardware_concurrency());
  return std::make_unique<CpuDevice>(threads > 0 ? threads : std::max(1, processors), fallbacks,
                                     streams);
}

namespace {

CpuStream& AsCpuStream(Stream& stream) {
  auto* cpu_stream = dynamic_cast<CpuStream*>(&stream);
  GLINT_CHECK(cpu_stream != nullptr, "a stream of another device");
  return *cpu_stream;
}

}  // namespace

void SubmitCpu(Stream& stream, std::function<void(WorkerPool& pool)> work) {
  AsCpuStream(stream).Submit(std::move(work));
}

void ReportCpuFallback(Stream& stream, const std::string& reason) {
  AsCpuStream(stream).Report(reason);
}

}  // namespace glint::device
