#include "speech_queue.h"

#include <stdexcept>

#include "check.h"
#include "fakes.h"

using visavis::SpeechQueue;
using visavis::test::steady;

CHECK_CASE("what may be pushed to") {
  SpeechQueue queue;
  const auto pcm = steady(0.1);
  CHECK(!queue.push(1, pcm, 16'000));
  const std::uint64_t utterance = queue.begin();
  CHECK(utterance != 0);
  CHECK(queue.push(utterance, pcm, 16'000));
  CHECK(queue.push(utterance, {}, 16'000));
  CHECK(!queue.push(utterance, pcm, 7'999));
  CHECK(!queue.push(utterance, pcm, 96'000));
  CHECK(!queue.push(utterance + 1, pcm, 16'000));
  queue.end(utterance);
  CHECK(!queue.push(utterance, pcm, 16'000));
  CHECK(queue.mark(utterance, 1));
  queue.end(12345);
}

CHECK_CASE("an interrupt ends every utterance of its generation") {
  SpeechQueue queue;
  const std::uint64_t first = queue.begin();
  const std::uint64_t second = queue.begin();
  const std::uint64_t before = queue.interrupt();
  CHECK(queue.interrupt() == before + 1);
  CHECK(!queue.push(first, steady(0.1), 16'000));
  CHECK(!queue.mark(second, 1));
  CHECK((queue.take_interrupted() == std::vector<std::uint64_t>{first, second}));
  CHECK(queue.take_interrupted().empty());
  const std::uint64_t third = queue.begin();
  CHECK(third > second);
  CHECK(queue.push(third, steady(0.1), 16'000));
  CHECK(queue.first_after(0) == third);
  CHECK(!queue.forget(first));
  CHECK(queue.forget(third));
  CHECK(queue.first_after(0) == 0);
}

CHECK_CASE("ten minutes may wait, over all utterances") {
  SpeechQueue queue;
  const auto minute = steady(60, 8'000);
  const std::uint64_t first = queue.begin();
  const std::uint64_t second = queue.begin();
  for (int i = 0; i < 10; ++i) CHECK(queue.push(i % 2 == 0 ? first : second, minute, 8'000));
  CHECK(!queue.push(first, steady(0.1, 8'000), 8'000));
  queue.played(48'000 * 60);
  CHECK(queue.push(first, minute, 8'000));
  CHECK(!queue.push(second, minute, 8'000));
  queue.interrupt();
  CHECK(queue.push(queue.begin(), minute, 8'000));
}

CHECK_CASE("the number of utterances and marks is bounded") {
  SpeechQueue queue;
  const std::uint64_t utterance = queue.begin();
  for (std::size_t i = 0; i < SpeechQueue::kMaxWaiting; ++i) queue.mark(utterance, i);
  CHECK(!queue.mark(utterance, 0));
  for (std::size_t i = 1; i < SpeechQueue::kMaxWaiting; ++i) queue.begin();
  CHECK_THROWS(std::length_error, queue.begin());
  queue.take(utterance);
  queue.forget(utterance);
  CHECK(queue.begin() != 0);
}

CHECK_CASE("small pushes of one rate are joined, others kept apart") {
  SpeechQueue queue;
  const std::uint64_t utterance = queue.begin();
  for (int i = 0; i < 10; ++i) queue.push(utterance, steady(0.01), 16'000);
  queue.push(utterance, steady(0.01, 24'000), 24'000);
  queue.mark(utterance, 7);
  const visavis::SpeechNews news = queue.take(utterance);
  CHECK(news.chunks.size() == 2);
  CHECK(news.chunks[0].samples.size() == 1'600);
  CHECK(news.chunks[1].sample_rate == 24'000);
  CHECK(news.marks.size() == 1 && news.marks[0].position == 5'280);
  CHECK(!news.ended);
  CHECK(queue.take(utterance).chunks.empty());
}

CHECK_CASE("nothing is accepted after a failure") {
  SpeechQueue queue;
  const std::uint64_t before = queue.begin();
  queue.fail();
  CHECK(!queue.push(before, steady(0.1), 16'000));
  const std::uint64_t after = queue.begin();
  CHECK(after != 0);
  CHECK(!queue.push(after, steady(0.1), 16'000));
  queue.interrupt();
  CHECK(queue.take_interrupted().empty());
}

CHECK_MAIN
