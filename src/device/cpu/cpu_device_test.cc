// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/cpu_device.h"

#include <gtest/gtest.h>

#include <atomic>

namespace glint::device {
namespace {

TEST(CpuDevice, MemoryIsZeroAndAligned) {
  const std::unique_ptr<Device> device = MakeCpuDevice();
  const auto memory = device->Allocate(1000).value();
  EXPECT_EQ(memory->bytes(), 1000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->data()) %
                static_cast<std::uintptr_t>(device->properties().memory_alignment),
            0U);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(memory->data()[i], std::byte{0});
}

TEST(CpuDevice, MoreThanTheMachineHasIsAnErrorWithBothNumbers) {
  const std::unique_ptr<Device> device = MakeCpuDevice();
  const auto memory = device->Allocate(std::int64_t{1} << 60);
  ASSERT_FALSE(memory.ok());
  EXPECT_EQ(memory.error().code, ErrorCode::kResourceExhausted);
  EXPECT_NE(memory.error().message.find("wanted, this machine has"), std::string::npos);
}

TEST(CpuDevice, CapturedWorkRunsAtEachLaunchAndReadsMemoryThen) {
  const std::unique_ptr<Device> device = MakeCpuDevice();
  const std::unique_ptr<Stream> stream = device->CreateStream();
  int input = 1;
  int sum = 0;
  stream->BeginCapture();
  SubmitCpu(*stream, [&](WorkerPool&) { sum += input; });
  const std::unique_ptr<Graph> graph = stream->EndCapture();
  EXPECT_EQ(sum, 0);
  stream->Launch(*graph);
  input = 10;  // the address is fixed, the content is not
  stream->Launch(*graph);
  EXPECT_EQ(sum, 11);
  SubmitCpu(*stream, [&](WorkerPool&) { sum = -1; });
  EXPECT_EQ(sum, -1);
  EXPECT_TRUE(stream->Synchronize().ok());
}

TEST(CpuDeviceDeathTest, SecondCaptureIsABug) {
  const std::unique_ptr<Device> device = MakeCpuDevice();
  const std::unique_ptr<Stream> stream = device->CreateStream();
  stream->BeginCapture();
  EXPECT_DEATH(stream->BeginCapture(), "a capture is open already");
}

TEST(CpuDevice, FallbacksOfKernelsAreLoggedOnceAndCounted) {
  FallbackLog log;
  const std::unique_ptr<Device> device = MakeCpuDevice(1, &log);
  const std::unique_ptr<Stream> stream = device->CreateStream();
  testing::internal::CaptureStderr();
  ReportCpuFallback(*stream, "linear: reference");
  ReportCpuFallback(*stream, "linear: reference");
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_EQ(log.Counts().at("linear: reference"), 2);
  EXPECT_EQ(printed.find("linear"), printed.rfind("linear")) << printed;
}

TEST(CpuDevice, EventsAreDoneAtOnce) {
  const std::unique_ptr<Device> device = MakeCpuDevice();
  const std::unique_ptr<Stream> stream = device->CreateStream();
  const std::unique_ptr<Event> event = device->CreateEvent();
  stream->Record(*event);
  stream->Wait(*event);
  EXPECT_TRUE(event->IsDone());
}

TEST(CpuDevice, AQueuedStreamLetsTheHostGoOnAndItsEventsTellWhen) {
  const std::unique_ptr<Device> device = MakeCpuDevice(2, nullptr, CpuStreams::kQueued);
  const std::unique_ptr<Stream> stream = device->CreateStream();
  const std::unique_ptr<Event> event = device->CreateEvent();
  std::atomic<bool> release = false;
  int sum = 0;
  SubmitCpu(*stream, [&](WorkerPool&) { release.wait(false); });
  SubmitCpu(*stream, [&](WorkerPool&) { sum += 1; });
  stream->Record(*event);
  EXPECT_FALSE(event->IsDone());
  release = true;
  release.notify_all();
  event->Synchronize();
  EXPECT_TRUE(event->IsDone());
  EXPECT_EQ(sum, 1);
}

TEST(CpuDevice, QueuedStreamsOfOneDeviceShareItsWorkers) {
  const std::unique_ptr<Device> device = MakeCpuDevice(2, nullptr, CpuStreams::kQueued);
  const std::unique_ptr<Stream> first = device->CreateStream();
  const std::unique_ptr<Stream> second = device->CreateStream();
  std::atomic<int> pieces = 0;
  for (int i = 0; i < 200; ++i) {
    for (Stream* stream : {first.get(), second.get()}) {
      SubmitCpu(*stream, [&](WorkerPool& pool) { pool.Run(8, [&](std::int64_t) { ++pieces; }); });
    }
  }
  ASSERT_TRUE(first->Synchronize().ok());
  ASSERT_TRUE(second->Synchronize().ok());
  EXPECT_EQ(pieces, 3200);
}

}  // namespace
}  // namespace glint::device
